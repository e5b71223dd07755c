// Results of tools through tool_execute: as they came, in every client.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, type Json, raw } from '../kit/clients.ts'
import { fixtureServer, type ServerEntry, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

const TEXT = { type: 'text', text: 'two rows' }
const IMAGE = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png', annotations: { priority: 0.5 } }
const STRUCTURE = { rows: [{ n: 1 }, { n: 2, 'é"': null }] }
const REPEATED = { type: 'text', text: JSON.stringify(STRUCTURE) }
const LONG = 'A line of a long text, with "quotes" and é.\n'.repeat(700)
const PICTURE = { ...IMAGE, data: Buffer.from(LONG).toString('base64') }
const ROWS = { rows: Array.from({ length: 500 }, (_, n) => ({ n, name: `row ${n}`, price: n / 3 })) }

/** By tool name. */
const RESULTS: Readonly<Record<string, Json>> = {
  text_and_structure: { content: [TEXT], structuredContent: STRUCTURE },
  text_image_and_structure: { content: [TEXT, IMAGE], structuredContent: STRUCTURE },
  structure_alone: { content: [], structuredContent: STRUCTURE },
  structure_without_content: { structuredContent: STRUCTURE },
  repeated_structure: { content: [REPEATED], structuredContent: STRUCTURE },
  failed: { content: [TEXT], structuredContent: STRUCTURE, isError: true },
  text_and_image: { content: [TEXT, IMAGE], _meta: { 'example.org/cost': 3 }, extra: [1] },
  long_text: { content: [{ type: 'text', text: LONG }] },
  picture: { content: [PICTURE] },
  rows: { content: [{ type: 'text', text: JSON.stringify(ROWS) }], structuredContent: ROWS },
  mixed: { content: [{ type: 'text', text: LONG }, PICTURE], structuredContent: ROWS, _meta: { cost: 3 } },
}

const structureOf = ({ structuredContent: given }: Json): string[] =>
  given === undefined ? [] : [JSON.stringify(given)]
const blocksOf = ({ content = [] }: Json, ...types: string[]): string[] =>
  content.filter(({ type }: Json) => types.includes(type)).map((each: Json) => each['text'] ?? `image ${each['data']}`)
const once = (shown: readonly string[]): string[] => [...new Set(shown)]
const whole = ({ content, structuredContent, isError }: Json): string[] => [
  JSON.stringify({ content, structuredContent, isError }),
]
const textAndImages = (result: Json): string[] => blocksOf(result, 'text', 'image')

/** What a client shows its model of a result, by `clientInfo.name`. */
const SHOWN_BY: Readonly<Record<string, (result: Json) => string[]>> = {
  'claude-code': (result) =>
    result['structuredContent'] === undefined || result['isError']
      ? textAndImages(result)
      : [...blocksOf(result, 'image'), ...structureOf(result)],
  'codex-mcp-client': (result) =>
    result['structuredContent'] === undefined ? textAndImages(result) : structureOf(result),
  'Visual Studio Code': (result) =>
    result['structuredContent'] === undefined
      ? textAndImages(result)
      : [...blocksOf(result, 'image'), ...structureOf(result)],
  'copilot-cli': (result) => once([...blocksOf(result, 'text'), ...structureOf(result)]),
  'qwen-cli-mcp-client-tooldex': (result) =>
    result['isError'] ? whole(result) : once([...structureOf(result), ...textAndImages(result)]),
  'gemini-cli-mcp-client': (result) => (result['isError'] ? whole(result) : textAndImages(result)),
  opencode: (result) => (blocksOf(result, 'text').length > 0 ? textAndImages(result) : structureOf(result)),
  '@cline/core': whole,
  'continue-cli-client': (result) =>
    result['isError'] ? blocksOf(result, 'text') : [JSON.stringify(result['content'] ?? [])],
  Zed: textAndImages,
  'Roo Code': textAndImages,
  'goose-cli': textAndImages,
  'dev.warp.Warp-Stable': (result) => (result['isError'] ? structureOf(result) : textAndImages(result)),
  'amp-mcp-client': textAndImages,
  'claude-ai': textAndImages,
}

/** The result that a client gets instead of that of a direct connection. */
const CHANGED: readonly (readonly [client: string, tool: string, result: Json])[] = [
  ...Object.keys(SHOWN_BY).flatMap((client) =>
    ['structure_alone', 'structure_without_content'].map(
      (tool) => [client, tool, { content: [REPEATED], structuredContent: STRUCTURE }] as const,
    ),
  ),
  ['codex-mcp-client', 'text_image_and_structure', { content: [TEXT, IMAGE] }],
]

/** Each has a server of its own, because the arguments of a program have a limit. */
const LARGE = ['long_text', 'picture', 'rows', 'mixed']

function serverOf(names: readonly string[]): ServerEntry {
  const answers = names.map((name) => [name, { result: RESULTS[name] ?? {} }] as const)
  return fixtureServer({ tools: names.map((name) => textTool(name, name)), answers })
}

let gateway: TestGateway

beforeAll(async () => {
  const small = Object.keys(RESULTS).filter((name) => !LARGE.includes(name))
  gateway = await gatewayWith({
    servers: { s: serverOf(small), ...Object.fromEntries(LARGE.map((name) => [name, serverOf([name])])) },
    endpoints: { router: { exposure: 'meta-tools' }, mcproxy: { dialect: 'mcproxy' }, metamcp: { dialect: 'metamcp' } },
  })
})
afterAll(() => gateway.stop())

describe.each<ClientKind>(['modern', 'v1'])('a %s client', (kind) => {
  describe.each(Object.entries(SHOWN_BY))('named %s', (name, shownOf) => {
    const small = ['text_and_structure', 'text_image_and_structure', 'structure_alone', 'structure_without_content']
    it.each([...small, 'repeated_structure', 'failed', 'text_and_image'])(
      '[R35] shows its model of %s what it would show of a direct connection, or more',
      async (tool) => {
        const client = await gateway.newClient(kind, 'router', 'test', { name })
        const result = await client.request('tools/call', { name: 'tool_execute', arguments: { toolKey: `s:${tool}` } })
        await client.close()
        const expected = CHANGED.find((each) => each[0] === name && each[1] === tool)?.[2] ?? RESULTS[tool] ?? {}
        expect(shownOf(result)).toEqual(shownOf(expected))
        expect(shownOf(result).join('')).not.toBe('')
      },
    )
  })

  it.each(['router', 'mcproxy', 'metamcp'])(
    '[R35] gets every member of a result in the dialect %s',
    async (dialect) => {
      const client = await gateway.client(kind, dialect)
      const call = { name: 'tool_execute', arguments: { toolKey: 's:text_and_image' } }
      const { _meta, resultType: _, ...result } = await client.request('tools/call', call)
      const { 'io.modelcontextprotocol/serverInfo': __, ...meta } = _meta
      expect({ ...result, _meta: meta }).toEqual(RESULTS['text_and_image'])
    },
  )

  it('[R35] finds no output schema at tool_execute', async () => {
    const listed = await (await gateway.client(kind, 'router')).listTools()
    const execute = listed.find(({ name }) => name === 'tool_execute')
    expect(execute).toHaveProperty('inputSchema')
    expect(execute).not.toHaveProperty('outputSchema')
  })
})

describe('On the wire', () => {
  it.each(LARGE)('[R35] %s through tool_execute has at most 1.02 times the bytes of the server', async (tool) => {
    const direct = Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', id: 1, result: RESULTS[tool] }))
    const through = Buffer.byteLength(await executed(tool))
    expect(through / direct).toBeLessThanOrEqual(1.02)
  })
})

/** The body of the response to a call of 2026-07-28. */
async function executed(tool: string): Promise<string> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'tool_execute', arguments: { toolKey: `${tool}:${tool}` }, _meta }
  const { text, status } = await raw(
    `${gateway.url}/router/mcp`,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    {
      authorization: `Bearer ${gateway.secret()}`,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'tool_execute',
    },
  )
  expect(status).toBe(200)
  return text
}
