import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'
import { CONTENT_TOOLS } from './fixture/content-tools.ts'
import { type FixtureServer, startFixture } from './fixture-server.ts'
import { runSuite, scoredScenarios } from './run-suite.ts'

const EXPECTED_FAILURES = fileURLToPath(new URL('./expected-failures.yml', import.meta.url))
/** The revisions run side by side, the runs of one revision in turn: they change the same fixture. */
const IN_TURN = { concurrent: false, timeout: 120_000 }

const REVISIONS = [
  { revision: '2025-11-25', fixture: 'legacy', era: 'legacy', client: 'v1', scored: 30, calls: 10 },
  { revision: '2026-07-28', fixture: 'modern', era: '2026-07-28', client: 'modern', scored: 37, calls: 7 },
] as const

const ENDPOINTS = {
  plain: { transparent: true, auth: 'none' },
  hidden: { exposure: 'search-only', dropPrefix: true, auth: 'none' },
  meta: { exposure: 'meta-tools' },
}

describe.concurrent.each(REVISIONS)(
  'the official suite for $revision',
  ({ revision, fixture, era, client, scored, calls }) => {
    let server: FixtureServer
    let gateway: TestGateway

    beforeAll(async () => {
      server = await startFixture(fixture)
      gateway = await gatewayWith({ servers: { fixture: { url: server.url, era } }, endpoints: ENDPOINTS })
    })

    afterAll(async () => {
      await gateway.stop()
      await server[Symbol.asyncDispose]()
    })

    it(`passes all ${scored} scored scenarios through a transparent endpoint`, IN_TURN, async () => {
      const baseline = revision === '2026-07-28' ? ['--expected-failures', EXPECTED_FAILURES] : []
      const outcome = await runSuite(`${gateway.url}/plain/mcp`, ['--requirements', revision, ...baseline])
      const required = await scoredScenarios(revision)
      const ran = outcome.scenarios.filter(({ scenario }) => required.includes(scenario))
      expect(ran.filter(({ passed }) => !passed)).toEqual([])
      expect(ran).toHaveLength(scored)
      // Of what is not scored, nothing fails but what the file names, and nothing in the file passes.
      expect(outcome.exitCode, outcome.output).toBe(0)
    })

    it('keeps the semantics of calls of tools that are not listed', IN_TURN, async () => {
      const outcome = await runSuite(`${gateway.url}/hidden/mcp`, ['--suite', 'all', '--spec-version', revision])
      const called = outcome.scenarios.filter(({ scenario }) => scenario.startsWith('tools-call-'))
      expect(called.filter(({ passed }) => !passed)).toEqual([])
      expect(called).toHaveLength(calls)
    })

    it('[R35] keeps results unchanged through tool_execute', IN_TURN, async () => {
      const direct = await gateway.client(client, 'hidden')
      const meta = await gateway.client(client, 'meta')
      for (const { definition } of CONTENT_TOOLS.slice(0, 6)) {
        const params = { name: definition.name, arguments: {} }
        const executed = await meta.request('tools/call', {
          name: 'tool_execute',
          arguments: { toolKey: `fixture:${definition.name}`, arguments: {} },
        })
        expect(executed).toEqual(await direct.request('tools/call', params))
      }
    })
  },
)
