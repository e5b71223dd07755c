// MetaMCP's projects and endpoints through a running gateway: settings in either naming, flags, visibility, search.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RegexProvider } from '@tooldex/search/regex'
import { type ClientKind, echoOf, failureOf, type Json, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'
import { processorMs } from '../kit/processor-time.ts'

const SEARCH = 'metamcp_search_tools'
const LONG = `count_${'very_'.repeat(20)}many_sheep`
const KITCHEN = [
  textTool('boil_water', 'Boil water in a kettle.', ['litres']),
  textTool('bake_bread', 'Bake a loaf of bread.'),
  textTool('burn_toast', 'Burn the toast on purpose.'),
]
const CELLAR = Array.from({ length: 25 }, (_, at) => textTool(`bottle_${at + 10}`, `Fetch bottle ${at + 10} of wine.`))
const FARM = [
  textTool(LONG, 'Count sheep.'),
  textTool(`${LONG}s`, 'Count sheep twice.'),
  textTool('a__b', 'Two words.'),
]
/** A pattern of 200 characters, the most that is compiled. */
const LONGEST_PATTERN = `boil|${'x'.repeat(195)}`
const LAB = [
  textTool('note_bracket', 'Writes f(x without its end.'),
  textTool('note_class', 'Writes [a- without its end.'),
  textTool('note_long', `Writes ${LONGEST_PATTERN}x at length.`),
]

const seed = { servers: ['kitchen'], default_defer_loading: true, default_search_method: 'BM25' }
const ours = { servers: ['kitchen'], exposure: 'full', deferLoading: true, strategy: 'bm25', dialect: 'metamcp' }

let gateway: TestGateway

beforeAll(async () => {
  const projects = {
    seed: { ...seed, tools: { 'kitchen:bake_bread': { defer_loading: 'DISABLED' } } },
    ours: { ...ours, tools: { 'kitchen:bake_bread': { deferLoading: false } } },
    'seed-hidden': { servers: ['kitchen'], default_search_method: 'REGEX', default_tool_visibility: 'SEARCH_ONLY' },
    'ours-hidden': { servers: ['kitchen'], exposure: 'search-only', strategy: 'regex', dialect: 'metamcp' },
    bare: { servers: ['kitchen'], default_defer_loading: false },
    quiet: { servers: ['kitchen'], default_defer_loading: true, default_search_method: 'NONE' },
    guarded: {
      ...seed,
      servers: ['kitchen', 'cellar'],
      tools: { 'kitchen:burn_toast': { allowed: false, deferLoading: true } },
    },
    cellar: { servers: ['cellar'], default_defer_loading: true, default_search_method: 'BM25' },
    farm: { servers: ['farm'], default_defer_loading: true, default_search_method: 'BM25' },
    'cellar-regex': {
      servers: ['cellar', 'kitchen', 'lab'],
      default_search_method: 'REGEX',
      default_tool_visibility: 'SEARCH_ONLY',
    },
  }
  const endpoints = {
    ...Object.fromEntries(Object.keys(projects).map((id) => [id, { project: id }])),
    off: { project: 'seed', override_defer_loading: 'DISABLED' },
    'off-ours': { project: 'ours', deferLoading: false },
    'guarded-hidden': { project: 'guarded', override_tool_visibility: 'SEARCH_ONLY', executeTool: true },
    executing: { project: 'seed-hidden', executeTool: true },
  }
  gateway = await gatewayWith({
    servers: {
      kitchen: fixtureServer({ tools: KITCHEN }),
      cellar: fixtureServer({ tools: CELLAR }, { toolPermissions: { bottle_10: false } }),
      farm: fixtureServer({ tools: FARM }),
      lab: fixtureServer({ tools: LAB }),
    },
    projects,
    endpoints,
  })
})

afterAll(() => gateway.stop())

describe.each<ClientKind>(['modern', 'v1'])('a %s client', (kind) => {
  const client = (endpoint: string) => gateway.client(kind, endpoint)
  const list = async (endpoint: string): Promise<Json[]> => (await client(endpoint)).listTools()
  const search = async (endpoint: string, args: Json): Promise<Json> => (await client(endpoint)).call(SEARCH, args)
  const names = async (endpoint: string, args: Json): Promise<string[]> =>
    (await search(endpoint, args))['structuredContent'].tool_references.map(({ name }: Json) => name)

  it('[M1] gets the same list with either naming of the settings, the nearest in force', async () => {
    expect(await list('ours')).toEqual(await list('seed'))
    expect(await list('ours-hidden')).toEqual(await list('seed-hidden'))
    expect(await list('off-ours')).toEqual(await list('off'))
    const flags = Object.fromEntries((await list('seed')).map(({ name, defer_loading }) => [name, defer_loading]))
    expect(flags).toEqual({
      [SEARCH]: undefined,
      kitchen__boil_water: true,
      kitchen__bake_bread: undefined,
      kitchen__burn_toast: true,
    })
    expect((await list('off')).filter((tool) => 'defer_loading' in tool)).toEqual([])
  })

  it('[M2] gets flags and search, flags only, or neither', async () => {
    const shape = async (endpoint: string) => {
      const tools = await list(endpoint)
      return {
        flags: tools.filter((tool) => tool['defer_loading']).length,
        search: tools.some(({ name }) => name === SEARCH),
      }
    }
    expect(await shape('cellar')).toEqual({ flags: 24, search: true })
    expect(await shape('quiet')).toEqual({ flags: 3, search: false })
    expect(await shape('bare')).toEqual({ flags: 0, search: false })
  })

  it('[M3] gets the flag as true, repeated under _meta, or not at all', async () => {
    for (const { name, _meta, ...tool } of await list('seed')) {
      const isDeferred = name !== SEARCH && name !== 'kitchen__bake_bread'
      expect(tool['defer_loading']).toBe(isDeferred ? true : undefined)
      expect(_meta).toEqual(isDeferred ? { 'io.tooldex/defer_loading': true } : { 'anthropic/alwaysLoad': true })
    }
  })

  it('[M4] gets the search tool alone, and tool_execute where the endpoint says so', async () => {
    expect((await list('seed-hidden')).map(({ name }) => name)).toEqual([SEARCH])
    expect((await list('executing')).map(({ name }) => name)).toEqual([SEARCH, 'tool_execute'])
    const result = await (await client('executing')).call('tool_execute', { toolKey: 'kitchen__bake_bread' })
    expect(echoOf(result).tool).toBe('bake_bread')
  })

  it.each(['seed', 'seed-hidden'])('[M5] calls tools by name that %s defers or hides', async (endpoint) => {
    const result = await (await client(endpoint)).call('kitchen__boil_water', { litres: '2' })
    expect(echoOf(result)).toEqual({ tool: 'boil_water', arguments: { litres: '2' } })
  })

  it('[M6] gets names of server and tool that fit 64 characters with the prefixes of clients, and mean one tool each', async () => {
    const tools = (await list('farm')).filter(({ name }) => name !== SEARCH)
    expect(new Set(tools.map(({ name }) => name)).size).toBe(3)
    for (const { name } of tools) {
      expect(`mcp__tooldex__${name}`.length).toBeLessThanOrEqual(64)
      expect(name).toMatch(/^farm__[\w.-]+$/)
    }
    const called = await Promise.all(
      tools.map(async ({ name }) => echoOf(await (await client('farm')).call(name)).tool),
    )
    expect(called).toEqual([LONG, `${LONG}s`, 'a__b'])
  })

  it.each([
    [undefined, 5],
    [1, 1],
    [7.9, 7],
    [0, 1],
    [-3, 1],
    [100, 20],
    ['4', 4],
    ['x', 5],
  ])('[M7] answers max_results %j with %i references', async (max_results, count) => {
    const args = { query: 'bottle of wine', ...(max_results !== undefined && { max_results }) }
    expect(await names('cellar', args)).toHaveLength(count)
  })

  it('[M8] reads references as text and as structure, each with its score and schema', async () => {
    const result = await search('seed', { query: 'boil water' })
    const [reference] = result['structuredContent'].tool_references
    expect(reference).toEqual({
      type: 'tool_reference',
      name: 'kitchen__boil_water',
      tool_name: 'kitchen__boil_water',
      description: expect.stringMatching(/^Boil water in a kettle\. \(score: \d\.\d\d\)$/),
      inputSchema: (KITCHEN[0] as Json)['inputSchema'],
    })
    expect(JSON.parse(textOf(result))).toEqual(result['structuredContent'])
    expect(result['content'].map(({ type }: Json) => type)).toEqual(['text'])
  })

  it('[M9] searches with regex in any case', async () => {
    const found = await names('cellar-regex', { query: '^BO(IL|TTLE)_(water|1[1-3])$', max_results: 20 })
    expect(found.toSorted()).toEqual([
      ...['cellar__bottle_11', 'cellar__bottle_12', 'cellar__bottle_13'],
      'kitchen__boil_water',
    ])
    expect((await search('cellar-regex', { query: 'boil' }))['structuredContent'].answeredBy).toBe('regex')
  })

  it('[M9] searches a pattern that does not compile literally', async () => {
    expect(await names('cellar-regex', { query: 'F(X' })).toEqual(['lab__note_bracket'])
    expect(await names('cellar-regex', { query: '[a-' })).toEqual(['lab__note_class'])
    for (const query of ['bottle_(', '*']) expect(await names('cellar-regex', { query })).toEqual([])
  })

  it('[M9] takes at most 200 characters as a pattern, and searches more literally', async () => {
    expect(LONGEST_PATTERN).toHaveLength(200)
    expect(await names('cellar-regex', { query: LONGEST_PATTERN })).toContain('kitchen__boil_water')
    expect(await names('cellar-regex', { query: `${LONGEST_PATTERN}x` })).toEqual(['lab__note_long'])
    expect(await names('cellar-regex', { query: 'b'.repeat(10_000) })).toEqual([])
  })

  it('[M9] answers a pattern that makes a backtracking engine explode', async () => {
    const query = `${'(a*)*'.repeat(30)}!`
    expect((await search('cellar-regex', { query }))['structuredContent']).toMatchObject({
      answeredBy: 'regex',
      tool_references: [],
    })
  })

  it('[M10] answers an empty query with the first tools, always the same', async () => {
    const first = ['kitchen__boil_water', 'kitchen__bake_bread', 'kitchen__burn_toast']
    expect(await names('seed', { query: '' })).toEqual(first)
    expect(await names('seed', { query: '  ', max_results: 2 })).toEqual(first.slice(0, 2))
    expect(await names('seed-hidden', { query: '' })).toEqual(first)
  })

  it('[M11] finds no forbidden tool in lists, references, empty queries or calls', async () => {
    const forbidden = ['kitchen__burn_toast', 'cellar__bottle_10']
    for (const endpoint of ['guarded', 'guarded-hidden']) {
      const listed = (await list(endpoint)).map(({ name }) => name)
      const found = await Promise.all(
        ['burn toast', 'bottle_10', '', 'kitchen__burn_toast', 'cellar:bottle_10'].map((query) =>
          names(endpoint, { query, max_results: 20 }),
        ),
      )
      for (const name of forbidden) {
        expect([...listed, ...found.flat()]).not.toContain(name)
        const failure = await failureOf((await client(endpoint)).call(name, {}))
        expect(failure.data?.['code']).toBe('TOOL_DISABLED')
        const executed = await (await client(endpoint)).call('tool_execute', { toolKey: name })
        expect(executed['_meta']['io.tooldex/error'].code).toBe('TOOL_DISABLED')
      }
    }
    expect((await gateway.seenBy('cellar')).filter(({ params }) => params?.name === 'bottle_10')).toEqual([])
  })
})

describe('regex search', () => {
  // No literal rules any text out, so that the engine has to read all of it.
  it.each(['([a-z]+)+[!?]$', '([a-z]|[a-z]{2})+[!?]$', '([a-z]*)*[!?]', '^([a-z]+ ?)*[!?]$'])(
    '[M9] takes time that is linear in the text: %s',
    async (pattern) => {
      const [short, long] = [await searchMs(pattern, 2_000), await searchMs(pattern, 8_000)]
      // Four times the text: linear work grows fourfold, quadratic work sixteenfold, backtracking does not end.
      expect(long).toBeLessThan(9 * short)
    },
  )
})

/** Processor time of ten searches with a pattern in 300 tools with descriptions of this length. */
async function searchMs(pattern: string, length: number): Promise<number> {
  const provider = new RegexProvider({ now: () => 0 })
  const description = 'a'.repeat(length)
  const added = Array.from({ length: 300 }, (_, at) => ({ id: `s:t${at + 100}`, name: 'tool', description }))
  provider.apply({ added, changed: [], removed: [] })
  const search = async () => expect((await provider.search({ queries: [pattern], maxResults: 5 })).hits).toEqual([])
  await search()
  return processorMs(async () => {
    for (let at = 0; at < 10; at++) await search()
  })
}
