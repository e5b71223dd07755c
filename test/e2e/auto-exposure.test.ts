import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, type Json, raw } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

/** Eight servers with 480 tools: some 160,000 tokens of definitions. */
const SERVER_IDS = Array.from({ length: 8 }, (_, index) => `s${index}`)
const TOOLS = Array.from({ length: 60 }, (_, index) => textTool(`tool_${index}`, 'words '.repeat(200), ['a', 'b']))
const NAMES = SERVER_IDS.flatMap((id) => TOOLS.map((_, index) => `${id}__tool_${index}`))
const KINDS = ['modern', 'legacy', 'v1', 'sse'] as const satisfies readonly ClientKind[]

let gateway: TestGateway
beforeAll(async () => {
  gateway = await gatewayWith({
    servers: Object.fromEntries(SERVER_IDS.map((id) => [id, fixtureServer({ tools: TOOLS })])),
    projects: { all: { servers: SERVER_IDS }, off: { servers: SERVER_IDS, optimization: null } },
    endpoints: { all: { project: 'all' }, off: { project: 'off' } },
  })
})
afterAll(() => gateway.stop())

/** What a client of this name and version lists in a session, and the instructions that it gets. */
async function seenBy(clientInfo: Json): Promise<{ readonly names: string[]; readonly tokens: number; tools: Json[] }> {
  const url = `${gateway.url}/all/mcp`
  const authorization = `Bearer ${gateway.secret()}`
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
  const begun = await raw(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params: hello }, { authorization })
  const session = {
    authorization,
    'mcp-protocol-version': '2025-11-25',
    'mcp-session-id': begun.headers.get('mcp-session-id') ?? '',
  }
  await raw(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
  const { text } = await raw(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, session)
  const { tools } = (JSON.parse(text.replace(/^[^{]*/, '')) as Json)['result']
  return { names: tools.map(({ name }: Json) => name), tokens: JSON.stringify(tools).length / 4, tools }
}

const META_TOOLS = ['tool_discovery', 'tool_execute']

describe('auto', () => {
  it.each([
    ['claude-code', '2.1.324'],
    ['claude-code', '1.0.0'],
    ['claude-code', 'nightly'],
    ['codex-mcp-client', '0.166.0'],
    ['copilot-cli', '1.0.102'],
    ['Visual Studio Code', '1.135.0'],
    ['qwen-cli-mcp-client-tooldex', '0.0.1'],
    ['cursor-vscode', '1.0.0'],
    ['gemini-cli-mcp-client', '0.61.0'],
    ['a client of its own', '1.0.0'],
  ])('gives %s %s the two tools of a large catalog', async (name, version) => {
    const { names, tokens, tools } = await seenBy({ name, version })
    expect(names).toEqual(META_TOOLS)
    expect(tokens).toBeLessThan(2_000)
    for (const tool of tools) expect(tool['_meta']).toMatchObject({ 'anthropic/alwaysLoad': true })
  })

  it('gives Claude Code from 2.1.325 on a deferred list, whose search tool it loads at once', async () => {
    const { tools } = await seenBy({ name: 'claude-code', version: '2.1.325' })
    const [search, ...others] = tools
    expect(search).toMatchObject({ name: 'tool_discovery', _meta: { 'anthropic/alwaysLoad': true } })
    expect(others.map(({ name }) => name)).toEqual(NAMES)
    expect(others.every((tool) => tool['defer_loading'] === true)).toBe(true)
  })

  it.each(KINDS)('gives a %s client the two tools, with instructions that fit', async (kind) => {
    const client = await gateway.client(kind, 'all')
    expect((await client.listTools()).map(({ name }) => name)).toEqual(META_TOOLS)
    expect(client.instructions()).toContain('tool_discovery')
  })

  it.each(KINDS)(
    '[R26] lists what fits without tool search, says what does not, and calls it, for %s clients',
    async (kind) => {
      const client = await gateway.client(kind, 'off')
      const names = (await client.listTools()).map(({ name }) => name)
      expect(names.length).toBeGreaterThan(10)
      expect(names).toEqual(NAMES.slice(0, names.length))
      expect(JSON.stringify(await client.listTools()).length / 4).toBeLessThan(10_500)
      expect(client.instructions()).toContain(`${NAMES.length - names.length} more tools`)
      expect(client.instructions()).toMatch(/search is off for this project.*administrator/)
      expect((await client.call('s7__tool_59', { a: '1', b: '2' }))['isError']).not.toBe(true)
    },
  )
})
