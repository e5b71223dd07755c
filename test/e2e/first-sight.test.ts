// What a client learns when it connects: which servers there are, what they are for, and what the list leaves out.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, type Json, raw } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type GatewaySetup, type TestGateway } from '../kit/gateway.ts'

const KINDS = ['modern', 'legacy', 'v1', 'sse'] as const satisfies readonly ClientKind[]
const MANUAL = `Handles money of the house. ${'Ask for the account before you pay. '.repeat(8)}`.trim()
const SERVERS = {
  bank: fixtureServer({ tools: [textTool('pay_bill', 'Pay a bill', ['amount'])], instructions: MANUAL }),
  tracker: fixtureServer(
    { tools: [textTool('create_issue', 'Create an issue', ['title'])] },
    { description: 'Issues of the team' },
  ),
  files: fixtureServer({ tools: [textTool('read_file', 'Read a file', ['path'])] }),
  secret: fixtureServer({ tools: [textTool('launch', 'Launch')], instructions: 'Rockets.' }),
}
const LINE = 'Connected servers: bank (Handles money of the house); tracker (Issues of the team); files (read_file).'
const EXPOSURES = ['full', 'deferred', 'limited', 'search-only', 'meta-tools', 'auto'] as const
const SETUP: GatewaySetup = {
  servers: SERVERS,
  projects: { house: { servers: ['bank', 'tracker', 'files'] }, space: { servers: ['secret'] } },
  endpoints: {
    ...Object.fromEntries(EXPOSURES.map((exposure) => [exposure, { project: 'house', exposure }])),
    few: { project: 'house', exposure: 'limited', maxTools: 1 },
    proxy: { project: 'house', exposure: 'limited', dialect: 'mcproxy', maxTools: 1, executeVariants: false },
    off: { project: 'house', exposure: 'meta-tools', strategy: null },
  },
  tokens: { clerk: { projects: ['house'], servers: ['tracker'] } },
}

describe('the first sight of a client', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await gatewayWith(SETUP)
  })
  afterAll(() => gateway.stop())

  it.each(KINDS)('[U9] names the servers and what they are for in every exposure, to %s clients', async (kind) => {
    for (const exposure of EXPOSURES) {
      const instructions = (await gateway.client(kind, exposure)).instructions() ?? ''
      if (exposure === 'full' || exposure === 'auto')
        expect(instructions).toContain('bank (Handles money of the house. Ask')
      else expect(instructions).toContain(LINE)
      expect(instructions).not.toMatch(/secret|Rockets/)
      expect(instructions.length / 4).toBeLessThan(300)
      const isPartOfAll = exposure === 'search-only' || exposure === 'meta-tools'
      // The text must be true of the list.
      expect(/more tools are available/i.test(instructions)).toBe(isPartOfAll)
    }
    expect((await gateway.client(kind, 'few')).instructions()).toMatch(/^More tools are available than are listed/)
    expect((await gateway.client(kind, 'off')).instructions()).not.toMatch(/More tools|Find them/)
    const own = (await gateway.client(kind, 'meta-tools', 'clerk')).instructions()
    expect(own).toContain('Connected servers: tracker (Issues of the team).')
  })

  it('[U9] [R2] repeats the line in the search tool for clients that ignore instructions, the same within a session', async () => {
    const quiet = await session(gateway, { name: '@cline/core', version: '3.0.65' })
    const first = await quiet.searchTool()
    expect(first['description']).toMatch(/^Finds tools .* Connected servers: bank \(/)
    expect(first['description']).toContain(LINE)
    gateway.configure({
      ...SETUP,
      projects: { house: { servers: ['tracker'] }, space: { servers: ['secret', 'bank', 'files'] } },
    })
    expect(await quiet.searchTool()).toEqual(first)
    const next = await session(gateway, { name: 'Zed', version: '1.0.0' })
    expect((await next.searchTool())['description']).toContain('Connected servers: tracker (Issues of the team).')
    gateway.configure(SETUP)
    const reader = await session(gateway, { name: 'claude-code', version: '2.0.0' })
    expect((await reader.searchTool())['description']).not.toContain('Connected servers')
  })

  it('[U9] keeps the list of 2026-07-28 free of the line, whatever the client calls itself', async () => {
    const [search] = await (await gateway.client('modern', 'meta-tools')).listTools()
    expect(search?.['description']).not.toContain('Connected servers')
  })

  it.each(['legacy', 'v1', 'sse'] as const)(
    '[U9] gives the instructions of a server once, with its first hit, to %s clients',
    async (kind) => {
      const client = await gateway.newClient(kind, 'meta-tools')
      const pay = async (more: Json = {}): Promise<Json> =>
        (await client.call('tool_discovery', { query: ['pay a bill'], ...more }))['structuredContent']
      expect((await pay())['instructions']).toEqual({ bank: MANUAL })
      expect(await pay()).not.toHaveProperty('instructions')
      expect(await pay({ detail: 'full' })).not.toHaveProperty('instructions')
      const other = await gateway.newClient(kind, 'meta-tools')
      const found = await other.call('tool_discovery', { query: ['create an issue'] })
      expect(found['structuredContent']['results'][0].toolKey).toBe('tracker:create_issue')
    },
  )

  it('[U9] gives the instructions of a server with every full answer without a session, and with no other', async () => {
    const client = await gateway.client('modern', 'meta-tools')
    const pay = async (detail: string): Promise<Json> =>
      (await client.call('tool_discovery', { query: ['pay a bill'], detail }))['structuredContent']
    expect(await pay('summary')).not.toHaveProperty('instructions')
    expect((await pay('full'))['instructions']).toEqual({ bank: MANUAL })
    expect(await pay('full')).toEqual(await pay('full'))
  })

  it('[U9] [P12] [P14] gives them in the text of mcproxy, which takes one need or a list of needs', async () => {
    const client = await gateway.newClient('legacy', 'proxy')
    const [search] = await client.listTools()
    expect(search?.['description']).toContain('one need per query')
    const result = await client.call('search_available_tools', { query: ['pay a bill', 'create an issue'] })
    const text = String(result['content'][0].text)
    expect(text).toMatch(/^Found \d tool\(s\) matching 'pay a bill, create an issue':/)
    expect(text).toMatch(/bank___pay_bill[\s\S]*tracker___create_issue|tracker___create_issue[\s\S]*bank___pay_bill/)
    expect(text).toContain(`Instructions of bank: ${MANUAL}`)
  })
})

/** A session of a client with this name, without an SDK. */
async function session(gateway: TestGateway, clientInfo: Json): Promise<{ searchTool(): Promise<Json> }> {
  const url = `${gateway.url}/meta-tools/mcp`
  const authorization = `Bearer ${gateway.secret()}`
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const begun = await raw(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params: hello }, { authorization })
  const headers = {
    authorization,
    'mcp-protocol-version': '2025-11-25',
    'mcp-session-id': begun.headers.get('mcp-session-id') ?? '',
  }
  await raw(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)
  return {
    searchTool: async () => {
      const { text } = await raw(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
      return (JSON.parse(text.replace(/^[^{]*/, '')) as Json)['result']['tools'][0]
    },
  }
}
