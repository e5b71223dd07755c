// Searches for tools of servers that cannot answer: every empty answer says why, in every dialect and era.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type LoginWorld,
  startLoginWorld,
} from '../../packages/gateway/src/servers/fixtures/authorization-server.case.ts'
import type { ClientKind, Json } from '../kit/clients.ts'
import { fixtureServer, type ServerEntry, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway, until } from '../kit/gateway.ts'

const KINDS: readonly ClientKind[] = ['modern', 'legacy', 'v1']
const NEVER_MS = 600_000
const SEARCH_TOOLS = {
  router: 'tool_discovery',
  mcproxy: 'search_available_tools',
  metamcp: 'metamcp_search_tools',
} as const
type Dialect = keyof typeof SEARCH_TOOLS
const DIALECTS = Object.keys(SEARCH_TOOLS) as readonly Dialect[]

const mender = (entry: ServerEntry = {}) =>
  fixtureServer({ tools: [textTool('mend_teapot', 'Mend a broken teapot')] }, entry)
const textOf = (result: Json): string => result['content'][0]['text']

const NOTICES = {
  broken: 'Failed: broken. Try later, or ask an administrator.',
  stopped: 'Stopped: stopped. An administrator can start it.',
  bank: 'A login is missing: bank. Ask an administrator to log in.',
  slow: 'Still starting: slow. Search again in a few seconds.',
  empty: 'There are no servers here that you may use. An administrator can add some.',
  off: 'Tool search is off for this project. An administrator can turn it on in its settings.',
  garden: 'No tool seems to do this',
} as const

describe('a search that finds nothing', () => {
  let gateway: TestGateway
  let world: LoginWorld

  beforeAll(async () => {
    world = await startLoginWorld()
    const projects = Object.keys(NOTICES)
    gateway = await gatewayWith(
      {
        startGraceMs: 0,
        servers: {
          broken: fixtureServer({ tools: [], trouble: 'crash-at-start' }),
          stopped: mender({ disabled: true }),
          bank: { url: world.mcpUrl },
          slow: fixtureServer({ tools: [], startDelayMs: NEVER_MS }),
          garden: fixtureServer({ tools: [textTool('mow_lawn', 'Mow the lawn')] }),
          secret: fixtureServer({ tools: [], trouble: 'crash-at-start' }),
        },
        projects: {
          ...Object.fromEntries(
            projects.map((id) => [id, { servers: id === 'empty' || id === 'off' ? [] : [id, 'garden'] }]),
          ),
          garden: { servers: ['garden'] },
          off: { servers: ['garden'], strategy: null },
          hidden: { servers: ['secret'] },
        },
        endpoints: Object.fromEntries(
          projects.flatMap((project) =>
            DIALECTS.map((dialect) => [`${project}-${dialect}`, { project, dialect, exposure: 'meta-tools' }]),
          ),
        ),
      },
      { waitForServers: false },
    )
    const stateOf = (id: string) => gateway.inside.catalog.snapshot().servers.find((server) => server.id === id)?.state
    await until(
      () =>
        stateOf('broken') === 'failed' &&
        stateOf('bank') === 'needs-login' &&
        gateway.inside.catalog.snapshot().tools.size > 0,
    )
  })
  afterAll(async () => {
    await gateway.stop()
    await world.close()
  })

  it.each(KINDS)('[R16] [R26] [U12] says why in every dialect, for %s clients', async (kind) => {
    for (const dialect of DIALECTS) {
      for (const [project, notice] of Object.entries(NOTICES)) {
        const client = await gateway.client(kind, `${project}-${dialect}`)
        const result = await client.call(SEARCH_TOOLS[dialect], { query: 'mend a teapot' })
        expect(result['isError']).not.toBe(true)
        expect(result['structuredContent']['notice']).toContain(notice)
        if (dialect === 'mcproxy') {
          const isSaid = project !== 'garden' && project !== 'off'
          if (project !== 'off')
            expect(textOf(result)).toMatch(/^No tools found matching 'mend a teapot'\. Try a different/)
          if (isSaid || project === 'off') expect(textOf(result)).toContain(notice)
        } else {
          expect(JSON.parse(textOf(result))).toEqual(result['structuredContent'])
        }
        expect(JSON.stringify(result)).not.toContain('secret')
      }
    }
  })

  it('[R16] is audited with the reasons', async () => {
    const client = await gateway.client('legacy', 'broken-router')
    await client.call('tool_discovery', { query: ['mend a teapot'] })
    expect(gateway.audited().at(-1)).toMatchObject({
      kind: 'search',
      outcome: 'ok',
      resultKeys: [],
      notices: ['NOTHING_FITS', 'SERVERS_FAILED'],
    })
  })
})

describe('20 cold servers', () => {
  const names = Array.from({ length: 20 }, (_, at) => `server-${at}`)
  const cold = (delayOf: (at: number) => number) => ({
    servers: Object.fromEntries(
      names.map((name, at) => [
        name,
        fixtureServer({ tools: [textTool(`mend_${at}`, `Mend teapot ${at}`)], startDelayMs: delayOf(at) }),
      ]),
    ),
    startGraceMs: 300,
    projects: { all: { servers: names } },
    endpoints: { all: { project: 'all', exposure: 'meta-tools' } },
  })

  it('[R16] [R37] are never the reason for a false "no such tool"', { timeout: 60_000 }, async () => {
    // Every second one starts at once, on a machine that takes its time with ten programs; the others never do.
    const setup = cold((at) => (at % 2 === 0 ? 0 : NEVER_MS))
    await using gateway = await gatewayWith(setup, { waitForServers: false })
    const client = await gateway.client('legacy', 'all')
    const calls = names.map((name, at) => client.call('tool_execute', { toolKey: `${name}:mend_${at}`, arguments: {} }))
    const searches = names.map((_, at) => client.call('tool_discovery', { query: [`mend_${at}`] }))
    for (const result of await Promise.all(calls)) {
      expect(textOf(result)).not.toContain('TOOL_NOT_FOUND')
      if (result['isError'] === true) expect(textOf(result)).toContain('SERVER_STARTING')
    }
    for (const [at, { structuredContent }] of (await Promise.all(searches)).entries()) {
      const isFound = structuredContent['results'].some(({ toolKey }: Json) => toolKey === `server-${at}:mend_${at}`)
      if (!isFound) expect(structuredContent['notice']).toContain('Still starting: ')
    }
  })
})
