// A project gives a tool another name: list, search, calls, audit and refusals follow.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, echoOf, failureOf, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await gatewayWith({
    servers: {
      tracker: fixtureServer({
        tools: [textTool('create_issue', 'Create an issue.', ['title']), textTool('close_issue', 'Close an issue.')],
      }),
    },
    projects: {
      work: {
        servers: ['tracker'],
        tools: {
          'tracker:create_issue': { name: 'open_ticket' },
          'tracker:close_issue': { name: 'end_ticket', allowed: false },
        },
      },
      plain: { servers: ['tracker'] },
    },
    endpoints: {
      full: { project: 'work', exposure: 'full' },
      meta: { project: 'work', exposure: 'meta-tools', strategy: 'bm25' },
      plain: { project: 'plain', exposure: 'full' },
    },
  })
}, 60_000)

afterAll(() => gateway[Symbol.asyncDispose]())

describe.each<ClientKind>(['modern', 'legacy', 'v1'])('a %s client', (kind) => {
  it('lists and calls a tool under the name that the project gives it, and no longer under the other', async () => {
    const client = await gateway.client(kind, 'full')
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['open_ticket'])
    const echoed = echoOf(await client.call('open_ticket', { title: 'x' }))
    expect(echoed).toMatchObject({ tool: 'create_issue', arguments: { title: 'x' } })
    for (const former of ['tracker__create_issue', 'tracker___create_issue', 'create_issue']) {
      const { data } = await failureOf(client.call(former, { title: 'x' }))
      expect(data).toMatchObject({ code: 'TOOL_NOT_FOUND', remedy: 'Call it as open_ticket' })
    }
  })

  it('finds it by a search for its new name, and calls it as the hit says', async () => {
    const client = await gateway.client(kind, 'meta')
    const found = textOf(await client.call('tool_discovery', { query: 'open ticket' }))
    expect(found).toContain('open_ticket')
    for (const toolKey of ['open_ticket', 'tracker:create_issue']) {
      const result = await client.call('tool_execute', { toolKey, arguments: { title: 'y' } })
      expect(textOf(result)).toContain('create_issue')
    }
    const refused = await client.call('tool_execute', { toolKey: 'end_ticket', arguments: {} }).then(textOf, String)
    expect(refused).toMatch(/disabled in project/)
  })
})

it('keeps the name of the server in projects that give no other', async () => {
  const client = await gateway.client('modern', 'plain')
  expect((await client.listTools()).map(({ name }) => name)).toEqual(['tracker__create_issue', 'tracker__close_issue'])
})

it('audits calls of a renamed tool under its key, also refused ones', () => {
  const keys = new Map<string, Set<string>>()
  for (const entry of gateway.audited()) {
    if (entry.kind === 'call') keys.set(entry.outcome, (keys.get(entry.outcome) ?? new Set()).add(entry.toolKey))
  }
  expect(keys.get('ok')).toEqual(new Set(['tracker:create_issue']))
  expect([...(keys.get('TOOL_DISABLED') ?? [])]).toEqual(['tracker:close_issue'])
})
