// Servers with slightly invalid tools lose none of them, and results pass through unchanged.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, echoOf, type Json, raw } from '../kit/clients.ts'
import { fixtureServer } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

const LONG = `long_${'x'.repeat(150)}`
/** Malformed tools, each with the repairs that the catalog reports. */
const MALFORMED: readonly { readonly tool: Json; readonly repairs: readonly RegExp[] }[] = [
  { tool: { name: 'no_schema' }, repairs: [/inputSchema is missing/] },
  { tool: { name: 'no_type', inputSchema: { properties: { a: { type: 'string' } } } }, repairs: [/has no type/] },
  { tool: { name: 'array_schema', inputSchema: ['a'] }, repairs: [/is not an object/] },
  { tool: { name: 'null_schema', inputSchema: null }, repairs: [/is not an object/] },
  { tool: { name: 'string_type', inputSchema: { type: 'string' } }, repairs: [/has another type/] },
  {
    tool: { name: 'broken_schema', inputSchema: { type: 'object', properties: { a: { $ref: '#/nowhere' } } } },
    repairs: [],
  },
  {
    tool: { name: 'bad_pattern', inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
    repairs: [],
  },
  { tool: { name: 'number_description', description: 7, inputSchema: { type: 'object' } }, repairs: [/description/] },
  {
    tool: { name: 'odd_meta', _meta: 'x', annotations: [], inputSchema: { type: 'object' } },
    repairs: [/annotations/, /_meta/],
  },
  { tool: { name: 'tool_execute', inputSchema: { type: 'object' } }, repairs: [] },
  { tool: { name: 'tool_discovery', inputSchema: { type: 'object' } }, repairs: [] },
  { tool: { name: 'metamcp_search_tools', inputSchema: { type: 'object' } }, repairs: [] },
  { tool: { name: '__proto__', inputSchema: { type: 'object' } }, repairs: [] },
  { tool: { name: 'constructor', inputSchema: { type: 'object' } }, repairs: [] },
  { tool: { name: 'with space/and:colon', inputSchema: { type: 'object' } }, repairs: [/unusual/] },
  { tool: { name: 'with_space/and:colon', inputSchema: { type: 'object' } }, repairs: [/unusual/] },
  { tool: { name: '名前', inputSchema: { type: 'object' } }, repairs: [/unusual/] },
  { tool: { name: LONG, inputSchema: { type: 'object' } }, repairs: [/longer than 128/] },
  { tool: { name: `${LONG}y`, inputSchema: { type: 'object' } }, repairs: [/longer than 128/] },
  { tool: { name: 'x'.repeat(63), inputSchema: { type: 'object' } }, repairs: [] },
]
const NAMES = MALFORMED.map(({ tool }) => String(tool['name']))
const UNUSABLE = [
  { name: 'no_schema', description: 'A second one.' },
  { description: 'Nameless.' },
  { name: '' },
  'text',
  null,
]

/** Every kind of block, unknown fields, and characters that are easily lost. */
const RICH: Json = {
  content: [
    { type: 'text', text: 'ä€𝄞\u0000\u2028\ud83d end', annotations: { audience: ['user'], priority: 0.3 } },
    { type: 'image', data: 'iVBORw0KGgoAAAANSUhEUg==', mimeType: 'image/png' },
    { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'file:///a', mimeType: 'application/octet-stream', blob: 'AAEC' } },
    { type: 'resource_link', uri: 'file:///b', name: 'b', size: 3, 'x-unknown': { kept: [1, null] } },
  ],
  structuredContent: { nested: { deep: [1, 2.5, 1e21, -0.1, null, true] }, '': 'empty key' },
  _meta: { 'example.org/a': 1 },
  'x-top': 'kept',
}

let gateway: TestGateway

beforeAll(async () => {
  gateway = await gatewayWith({
    servers: {
      malformed: fixtureServer({ tools: [...MALFORMED.map(({ tool }) => tool), ...UNUSABLE] as object[] }),
      twin: fixtureServer({ tools: MALFORMED.map(({ tool }) => tool) }),
      rich: fixtureServer({
        tools: [{ name: 'rich', inputSchema: { type: 'object' } }],
        answers: [['rich', { result: RICH }]],
      }),
    },
    endpoints: {
      default: { exposure: 'full' },
      bare: { exposure: 'full', dropPrefix: true },
      meta: { exposure: 'meta-tools' },
      proxy: { exposure: 'full', dialect: 'mcproxy' },
    },
  })
})

afterAll(() => gateway.stop())

it('loses no tool with a name, and reports repairs and omissions', () => {
  const { servers } = gateway.inside.catalog.snapshot()
  const malformed = servers.find(({ id }) => id === 'malformed')
  expect([...(malformed?.tools.keys() ?? [])]).toEqual(NAMES)
  for (const { tool, repairs } of MALFORMED) {
    const reported = malformed?.tools.get(tool['name'])?.repairs ?? []
    expect(reported, tool['name']).toHaveLength(repairs.length)
    for (const [at, repair] of repairs.entries()) expect(reported[at]).toMatch(repair)
  }
  expect(malformed?.remarks?.join(' ')).toMatch(/second tool "no_schema".*has no name/)
})

describe.each<ClientKind>(['modern', 'legacy', 'v1', 'sse'])('a %s client', (kind) => {
  it.each([undefined, 'bare', 'proxy'])(
    'lists and calls every malformed tool of two servers at %s',
    async (endpoint) => {
      const client = await gateway.client(kind, endpoint)
      const tools = (await client.listTools()).filter(
        ({ name }) => name !== 'rich__rich' && name !== 'rich___rich' && name !== 'rich',
      )
      expect(tools).toHaveLength(2 * NAMES.length)
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length)
      const called = await Promise.all(
        tools.map(async ({ name, inputSchema }) => {
          expect(name).toMatch(/^[\w.-]{1,50}$/)
          expect(inputSchema['type']).toBe('object')
          return echoOf(await client.call(name, { a: 'b' }))
        }),
      )
      expect(called.map(({ tool }) => tool)).toEqual([...NAMES, ...NAMES])
      for (const { arguments: args } of called) expect(args).toEqual({ a: 'b' })
    },
  )

  it('finds and runs every malformed tool by its key', async () => {
    const client = await gateway.client(kind, 'meta')
    for (const name of NAMES) {
      const result = await client.call('tool_execute', { toolKey: `twin:${name}`, arguments: { a: 'b' } })
      expect(echoOf(result).tool).toBe(name)
    }
    const { structuredContent } = await client.call('tool_discovery', { query: NAMES, maxResults: 100 })
    const found = new Set(structuredContent.results.map(({ toolKey }: Json) => toolKey))
    expect(NAMES.filter((name) => !found.has(`malformed:${name}`) && !found.has(`twin:${name}`))).toEqual([])
  })

  it('gets a result with every block and field as the server sent it', async () => {
    const client = await gateway.client(kind)
    const { resultType: _, ...result } = await client.request('tools/call', { name: 'rich__rich', arguments: {} })
    const { 'io.modelcontextprotocol/serverInfo': __, ...meta } = result['_meta']
    expect({ ...result, _meta: meta }).toEqual(RICH)
  })
})

it('passes a result on byte for byte', async () => {
  const authorization = `Bearer ${gateway.secret()}`
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  }
  const params = { name: 'rich__rich', arguments: {}, _meta: meta }
  const answer = await raw(
    `${gateway.url}/mcp`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    { authorization, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'rich__rich' },
  )
  expect(answer.status).toBe(200)
  for (const part of [RICH['content'], RICH['structuredContent']]) expect(answer.text).toContain(JSON.stringify(part))
})
