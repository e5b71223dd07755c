// MCP Router's two fixed tools through a running gateway: the list, and the answers of tool_discovery.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, failureOf, type Json, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

const READ_FILE = {
  name: 'read_file',
  description: 'Read the contents of a file. Fails when there is none.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  outputSchema: { type: 'object', properties: { content: { type: 'string' } } },
  annotations: { readOnlyHint: true },
}
const WRITE_FILE = textTool('write_file', 'Write text to a file.', ['path', 'content', 'encoding', 'mode', 'owner'])
const ISSUES = [
  textTool('create_issue', 'Create an issue in the tracker. It gets a number.', ['title']),
  textTool('close_issue', 'Close an issue of the tracker.', ['number']),
]
const RESERVED = [
  textTool('tool_execute', 'Cuts the grass with a reserved name.'),
  textTool('tool_discovery', 'Rakes the leaves with a reserved name.'),
]
const MANY = Array.from({ length: 120 }, (_, at) => textTool(`lamp_${at}`, `Switch the lamp number ${at} on or off.`))

const STRATEGIES = ['lexical', 'regex', 'bm25', 'embeddings', 'hybrid']
const byStrategy = (entry: (strategy: string, id: string) => object) =>
  Object.fromEntries(STRATEGIES.map((strategy) => [`by-${strategy}`, entry(strategy, `by-${strategy}`) as Json]))

let gateway: TestGateway

beforeAll(async () => {
  gateway = await gatewayWith({
    servers: {
      files: fixtureServer({
        tools: [READ_FILE, WRITE_FILE],
        prompts: [{ name: 'summarise_file', description: 'Summarise a file for a reader.' }],
        resources: [{ uri: 'file:///readme', name: 'Readme' }],
        label: 'files',
      }),
      tracker: fixtureServer({ tools: ISSUES }),
      garden: fixtureServer({ tools: RESERVED }),
      lamps: fixtureServer({ tools: MANY }),
    },
    projects: {
      office: { servers: ['files', 'tracker', 'garden'], optimization: 'bm25' },
      house: { servers: ['lamps'], optimization: 'bm25' },
      off: { servers: ['files', 'tracker'], optimization: null, exposure: 'meta-tools' },
      cloud: { servers: ['files', 'tracker'], optimization: 'cloud' },
      ...byStrategy((strategy) => ({ servers: ['files', 'tracker'], optimization: strategy })),
    },
    endpoints: {
      ...byStrategy((_, project) => ({ project })),
      office: { project: 'office' },
      direct: { project: 'office', directCalls: true },
      whole: { project: 'office', exposure: 'full' },
      house: { project: 'house' },
      off: { project: 'off' },
      cloud: { project: 'cloud' },
    },
  })
})

afterAll(() => gateway.stop())

describe.each<ClientKind>(['modern', 'legacy', 'v1'])('a %s client', (kind) => {
  const client = (endpoint = 'office') => gateway.client(kind, endpoint)
  const discover = async (args: Json, endpoint?: string): Promise<Json> =>
    (await client(endpoint)).call('tool_discovery', args)
  const results = async (args: Json, endpoint?: string): Promise<Json[]> =>
    (await discover(args, endpoint))['structuredContent'].results
  const keys = async (args: Json, endpoint?: string): Promise<string[]> =>
    (await results(args, endpoint)).map(({ toolKey }) => toolKey)

  it('[R1] searches and executes with two fixed tools', async () => {
    expect((await (await client()).listTools()).map(({ name }) => name)).toEqual(['tool_discovery', 'tool_execute'])
    expect(await keys({ query: ['create an issue'] })).toContain('tracker:create_issue')
  })

  it('[R2] lists the same two to the last byte with any servers', async () => {
    const office = await (await client('office')).listTools()
    expect(JSON.stringify(await (await client('house')).listTools())).toBe(JSON.stringify(office))
    expect(JSON.stringify(office)).not.toMatch(/files|tracker|garden|lamp/)
    const [discovery, execute] = office
    expect(discovery?.['annotations']).toMatchObject({
      readOnlyHint: true,
      idempotentHint: true,
      openWorldHint: false,
    })
    expect(execute?.['annotations']).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    })
    for (const tool of office) {
      expect(tool['description']).not.toMatch(/\d/)
      expect(tool['_meta']).toEqual({ 'anthropic/alwaysLoad': true })
      expect(tool).not.toHaveProperty('defer_loading')
    }
  })

  it('[R3] reads resources and prompts as if tool search were not there', async () => {
    const [meta, whole] = [await client('office'), await client('whole')]
    for (const method of ['prompts/list', 'resources/list', 'resources/templates/list']) {
      expect(body(await meta.request(method))).toEqual(body(await whole.request(method)))
    }
    const prompt = await meta.request('prompts/get', { name: 'files__summarise_file' })
    expect(prompt['messages'][0].content.text).toBe('files: summarise_file')
    const resource = await meta.request('resources/read', { uri: 'file:///readme' })
    expect(resource['contents'][0].text).toBe('files: file:///readme')
  })

  it('[R4] finds tools only', async () => {
    expect(await keys({ query: ['summarise_file', 'Summarise a file for a reader', 'Readme'] })).not.toContain(
      'files:summarise_file',
    )
    for (const key of await keys({ query: ['summarise file reader readme'] }))
      expect(key).toMatch(/:(read|write)_file$/)
  })

  it('[R5] refuses other names, unless the endpoint takes direct calls', async () => {
    for (const name of ['tracker__create_issue', 'tracker:create_issue', 'nothing']) {
      const failure = await failureOf((await client()).call(name, { title: 'a' }))
      expect(failure).toMatchObject({ code: -32602, message: `Unknown tool: ${name}` })
    }
    const result = await (await client('direct')).call('tracker__create_issue', { title: 'a' })
    expect(textOf(result)).toContain('create_issue')
  })

  it('[R6] reaches tools with reserved names under key and prefixed name', async () => {
    const found = await keys({ query: ['cuts the grass', 'rakes the leaves'] })
    expect(found).toEqual(expect.arrayContaining(['garden:tool_execute', 'garden:tool_discovery']))
    for (const toolKey of ['garden:tool_execute', 'garden__tool_execute', 'garden:tool_discovery']) {
      const result = await (await client()).call('tool_execute', { toolKey })
      expect(JSON.parse(textOf(result)).tool).toBe(toolKey.replace(/^garden(:|__)/, ''))
    }
    const direct = await (await client('direct')).call('garden__tool_discovery', {})
    expect(JSON.parse(textOf(direct)).tool).toBe('tool_discovery')
  })

  it('[R7] takes queries as a list or as one string, with context and limit', async () => {
    const asList = await results({ query: ['create an issue'], context: 'triage', maxResults: 3 })
    expect(asList[0]?.['toolKey']).toBe('tracker:create_issue')
    expect(await results({ query: 'create an issue', context: 'triage', maxResults: 3 })).toEqual(asList)
  })

  it('[R8] drops entries that are not strings, and answers with the schema when nothing is left', async () => {
    expect(await keys({ query: [7, 'create an issue', null, {}] })).toEqual(await keys({ query: ['create an issue'] }))
    for (const query of [[], [1, null], 7, undefined, {}]) {
      const result = await discover({ query })
      expect(result['isError']).toBe(true)
      expect(textOf(result)).toMatch(/^INVALID_ARGUMENTS: Query is required/)
      expect(textOf(result)).toContain('"maxResults"')
    }
  })

  it('[R9] answers blank queries with no results and no error', async () => {
    const result = await discover({ query: ['', '   ', '\n\t'] })
    expect(result['isError']).toBeFalsy()
    expect(result['structuredContent'].results).toEqual([])
  })

  it.each([
    [undefined, 10],
    [2.9, 2],
    [0, 1],
    [-5, 1],
    ['3', 3],
    ['many', 10],
    [null, 10],
    [1e9, 100],
    [{}, 10],
  ])('[R10] answers maxResults %j with %i results', async (maxResults, count) => {
    const args = { query: ['switch the lamp'], ...(maxResults !== undefined && { maxResults }) }
    expect(await results(args, 'house')).toHaveLength(count)
  })

  it('[R11] shows as much of a hit as asked for', async () => {
    const query = ['write text to a file']
    const [minimal] = await results({ query, detail: 'minimal' })
    expect(Object.keys(minimal ?? {}).toSorted()).toEqual(['relevance', 'serverName', 'toolKey', 'toolName'])
    const [summary] = await results({ query })
    expect(summary?.['signature']).toBe(
      '(path: string, content: string, encoding: string, mode: string, owner: string)',
    )
    expect(summary).not.toHaveProperty('inputSchema')
    expect(await results({ query, detail: 'summary' })).toEqual(await results({ query }))
    const [full] = await results({ query: ['read_file'], detail: 'full' })
    const { description, inputSchema, outputSchema, annotations } = READ_FILE
    expect(full).toMatchObject({ description, inputSchema, outputSchema, annotations })
    const [short] = await results({ query: ['read_file'] })
    expect(short?.['description']).toBe('Read the contents of a file.')
  })

  it('[R12] answers hits as structure and as the same JSON text', async () => {
    const result = await discover({ query: ['create an issue'] })
    expect(JSON.parse(textOf(result))).toEqual(result['structuredContent'])
    expect(result['structuredContent'].results[0]).toEqual({
      toolKey: 'tracker:create_issue',
      toolName: 'create_issue',
      serverName: 'tracker',
      description: 'Create an issue in the tracker.',
      signature: '(title: string)',
      relevance: expect.any(Number),
    })
    const [reading] = await results({ query: ['read_file'] })
    expect(reading?.['annotations']).toEqual({ readOnlyHint: true })
  })

  it('[R12] searches read-only tools or one server on request, and says why there are none', async () => {
    expect(await keys({ query: ['file'], readOnly: true })).toEqual(['files:read_file'])
    expect(await keys({ query: ['file issue'], server: 'Tracker' })).not.toContain('files:read_file')
    const { results: none, notice } = (await discover({ query: ['file'], server: 'lamps' }))['structuredContent']
    expect(none).toEqual([])
    expect(notice).toBe('There is no server lamps. Servers here: files, tracker, garden.')
  })

  it('[R12] pages on with nextCursor, and refuses one of another question', async () => {
    const ask = { query: ['switch the lamp'], maxResults: 50 }
    const pages: Json[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; cursor = pages.at(-1)?.['nextCursor']) {
      pages.push((await discover({ ...ask, cursor }, 'house'))['structuredContent'])
    }
    const all = pages.flatMap((page) => page['results'].map(({ toolKey }: Json) => toolKey))
    expect(pages.map((page) => page['results'].length)).toEqual([50, 50, 20])
    expect(new Set(all).size).toBe(120)
    const refused = await discover({ query: ['another'], cursor: pages[0]?.['nextCursor'] }, 'house')
    expect(refused['isError']).toBe(true)
    expect(textOf(refused)).toMatch(/^INVALID_ARGUMENTS: The cursor does not continue this answer/)
  })

  it('[R13] [R15] gives an absolute relevance, and the reason of a hit', async () => {
    const [good] = await results({ query: ['create an issue'] })
    const [poor] = await results({ query: ['issue a passport to a foreign traveller at the border'], explain: true })
    expect(good).not.toHaveProperty('explanation')
    for (const { relevance } of await results({ query: ['file'] })) {
      expect(relevance).toBeGreaterThanOrEqual(0)
      expect(relevance).toBeLessThanOrEqual(1)
    }
    expect(poor?.['relevance']).toBeLessThan(good?.['relevance'] / 2)
    expect(poor?.['explanation']).toContain('"issue"')
  })

  it('[R14] ranks each query as an intent of its own', async () => {
    const two = await keys({ query: ['read the contents of a file', 'create an issue'], maxResults: 2 })
    expect(two.toSorted()).toEqual(['files:read_file', 'tracker:create_issue'])
  })

  it.each(STRATEGIES)('[R25] searches with the strategy of the project itself: %s', async (strategy) => {
    const answer = (await discover({ query: ['issue'] }, `by-${strategy}`))['structuredContent']
    expect(answer.results.map(({ toolKey }: Json) => toolKey)).toContain('tracker:create_issue')
    expect(answer.answeredBy).toBe(strategy)
    expect(answer).not.toHaveProperty('degraded')
  })

  it('[R25] [R26] finds nothing where tool search is off, and names who can turn it on', async () => {
    const { results: none, notice } = (await discover({ query: ['file'] }, 'off'))['structuredContent']
    expect(none).toEqual([])
    expect(notice).toMatch(/off for this project.*administrator/)
    const run = await (await client('off')).call('tool_execute', {
      toolKey: 'files:read_file',
      arguments: { path: 'a' },
    })
    expect(run['isError']).toBeFalsy()
  })

  it('[R27] answers with bm25 where the cloud cannot, with a notice', async () => {
    const {
      results: found,
      answeredBy,
      degraded,
    } = (await discover({ query: ['read file'] }, 'cloud'))['structuredContent']
    expect(found[0].toolKey).toBe('files:read_file')
    expect(answeredBy).toBe('bm25')
    expect(degraded).toMatchObject({ strategy: 'cloud', reason: expect.any(String) })
  })
})

/** A result without the fields that an era adds. */
function body({ _meta, resultType: _, ttlMs: __, cacheScope: ___, ...rest }: Json): Json {
  return rest
}
