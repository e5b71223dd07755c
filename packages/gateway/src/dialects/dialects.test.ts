import { OWN_TOOL_NAMES } from '@tooldex/contract'
import { describe, expect, it } from 'vitest'
import { eligibleIn, namesFor, TEN_TOOLS } from '../exposure/fixture-ten-tools.case.ts'
import { TokenEstimate } from '../exposure/token-estimate.ts'
import { SEARCH_IS_OFF, searchNotices } from '../search/search-notices.ts'
import type { SearchAnswered, SearchAsk, SearchOutcome } from '../search/search-outcome.ts'
import type { Dialect, SearchView } from './dialect.ts'
import { dialectNamed, ownToolCalled, RESERVED_TOOL_NAMES } from './dialects.ts'
import { invalidArguments } from './own-tools.ts'

const eligible = eligibleIn(TEN_TOOLS, { 'web:fetch_url': { description: 'Ours. More.' } })
const [readFile, writeFile] = eligible.list as [(typeof eligible.list)[0], (typeof eligible.list)[0]]

function viewFor(dialect: Dialect, view: Partial<SearchView> = {}): SearchView {
  const names = namesFor(eligible, dialect.separator)
  return { eligible, names, callsByName: true, listGrows: false, ...view }
}

function askOf(dialect: Dialect, input: unknown): SearchAsk {
  const reading = dialect.readSearch(input)
  if ('mistake' in reading) throw new Error(reading.mistake)
  return reading.value
}

const ASK: SearchAsk = { queries: ['x'], maxResults: 10, explain: false, whenBlank: 'nothing', detail: 'summary' }

/** The outcome of a search of the ten tools, with its notices. */
function answered(answer: Omit<SearchAnswered, 'state' | 'answeredBy' | 'notices'>): SearchOutcome {
  const facts = { answeredBy: 'bm25', ...answer }
  return {
    state: 'answered',
    ...facts,
    notices: searchNotices({ ...facts, ask: ASK, eligible, all: eligible, dropped: 0 }),
  }
}

const found = answered({
  found: [
    { tool: readFile, relevance: 0.8251, explanation: '"read" in name' },
    { tool: writeFile, relevance: 0.4 },
  ],
})
const nothing = answered({ found: [] })
const degraded = answered({ found: [], degraded: { strategy: 'cloud', reason: 'no answer in 5 s' } })
const textOf = (result: Readonly<Record<string, unknown>>) =>
  (result['content'] as readonly { readonly text: string }[])[0]?.text ?? ''

describe.each(['router', 'mcproxy', 'metamcp'] as const)('the own tools of %s', (name) => {
  const dialect = dialectNamed(name)
  const tools = [dialect.searchTool(10), dialect.executeTool]

  it('have names that no project can give to a tool', () => {
    expect(new Set(OWN_TOOL_NAMES)).toEqual(RESERVED_TOOL_NAMES)
  })

  it('have short descriptions and cost few tokens', () => {
    for (const { description } of tools) {
      expect(description.length).toBeGreaterThan(60)
      expect(description.length).toBeLessThan(300)
    }
    expect(new TokenEstimate().ofListing(tools)).toBeLessThan(650)
    expect(dialect.searchTool(10)).toEqual(dialect.searchTool(10))
  })

  it('have annotations, an input schema and the flag to be loaded', () => {
    for (const tool of tools) {
      expect(tool.inputSchema).toMatchObject({ type: 'object' })
      expect(tool['annotations']).toBeDefined()
      expect(tool['_meta']).toEqual({ 'anthropic/alwaysLoad': true })
      expect(RESERVED_TOOL_NAMES.has(tool.name)).toBe(true)
    }
  })

  it('[U12] answer with the verdict, and say in a sentence that no tool fits and which is nearest', () => {
    const answer = (outcome: SearchOutcome) =>
      dialect.renderSearch(outcome, askOf(dialect, { query: 'x' }), viewFor(dialect))
    expect(answer(answered({ found: [{ tool: readFile, relevance: 0.5 }], verdict: 'unsure' }))).toMatchObject({
      structuredContent: { verdict: 'unsure' },
    })
    const none = answer(answered({ found: [], verdict: 'none', nearest: readFile }))
    const notice = `No tool seems to do this; the nearest is ${readFile.key}.`
    expect(none).toMatchObject({ structuredContent: { verdict: 'none', notice } })
    expect(textOf(none)).toContain(notice)
    const empty = answer(answered({ found: [], verdict: 'none' }))
    expect(empty).toMatchObject({ structuredContent: { notice: 'No tool seems to do this.' } })
    expect(textOf(empty)).toMatch(/No tool seems to do this|No tools found/)
  })

  it('are known by name', () => {
    const [plain, variants] = [{ executeVariants: false }, { executeVariants: true }]
    expect(ownToolCalled(dialect.searchToolName, dialect, plain)).toBe('search')
    expect(ownToolCalled('tool_execute', dialect, plain)).toBe('execute')
    expect(ownToolCalled('tool_execute_read', dialect, plain)).toBeUndefined()
    expect(ownToolCalled('tool_execute_read', dialect, variants)).toBe('execute-read')
    expect(ownToolCalled('constructor', dialect, variants)).toBeUndefined()
  })

  it.each([undefined, null, 'text', {}, { query: 7 }, { query: [] }, { query: [7, null] }])(
    'ask for a query where there is none: %j',
    (input) => {
      expect(dialect.readSearch(input)).toEqual({ mistake: 'Query is required' })
    },
  )

  it('report that search is off and who can turn it on, without results', () => {
    const result = dialect.renderSearch(
      { state: 'off', notices: [SEARCH_IS_OFF] },
      askOf(dialect, { query: 'x' }),
      viewFor(dialect),
    )
    expect(textOf(result)).toContain('Tool search is off for this project. An administrator can turn it on')
    expect(result['isError']).toBeUndefined()
    expect(Object.values(result['structuredContent'] as object)[0]).toEqual([])
  })

  it('report that another strategy answered, with the reason', () => {
    const result = dialect.renderSearch(degraded, askOf(dialect, { query: 'x' }), viewFor(dialect))
    expect(textOf(result)).toContain('cloud search could not answer (no answer in 5 s); bm25 answered instead.')
    expect(result['structuredContent']).toMatchObject({
      answeredBy: 'bm25',
      degraded: { strategy: 'cloud', reason: 'no answer in 5 s' },
    })
  })
})

it('[R8] [P14] answers a missing query with INVALID_ARGUMENTS and the schema', () => {
  const tool = dialectNamed('router').searchTool(0)
  const result = invalidArguments(tool, 'Query is required')
  expect(result['isError']).toBe(true)
  expect(result).not.toHaveProperty('structuredContent')
  expect(textOf(result)).toContain('INVALID_ARGUMENTS: Query is required.')
  expect(textOf(result)).toContain(JSON.stringify(tool.inputSchema))
})

describe('router', () => {
  const router = dialectNamed('router')
  const rendered = (input: object, view: Partial<SearchView> = {}) =>
    router.renderSearch(found, askOf(router, { query: 'x', ...input }), viewFor(router, view))
  const results = (result: Readonly<Record<string, unknown>>) =>
    (result['structuredContent'] as { results: readonly Record<string, unknown>[] }).results

  it('[R7] [R8] accepts one or several queries, with context, and drops other values than strings', () => {
    expect(askOf(router, { query: 'a' }).queries).toEqual(['a'])
    expect(askOf(router, { query: ['a', 7, 'b', null], context: 'c' })).toMatchObject({
      queries: ['a', 'b'],
      context: 'c',
    })
    expect(askOf(router, { query: 'a', context: 7 })).not.toHaveProperty('context')
  })

  it.each([
    [undefined, 10],
    ['many', 10],
    [Number.NaN, 10],
    [2.9, 2],
    ['7', 7],
    [0, 1],
    [-5, 1],
    [1_000, 100],
    [Number.POSITIVE_INFINITY, 100],
    [{}, 10],
  ])('[R10] turns maxResults %j into the limit %i', (maxResults, expected) => {
    expect(askOf(router, { query: 'a', maxResults }).maxResults).toBe(expected)
  })

  it('[R11] [R12] answers with a sentence and a signature, as structured content and as JSON text', () => {
    const result = rendered({}, { callsByName: false })
    expect(JSON.parse(textOf(result))).toEqual(result['structuredContent'])
    expect(results(result)[0]).toEqual({
      toolKey: 'filesystem:read_file',
      toolName: 'read_file',
      serverName: 'filesystem',
      description: 'Read the complete contents of a file from disk.',
      signature:
        '(path: string /* Absolute path of the file to read */, encoding?: "utf-8" | "latin1" | "base64", head?: integer /* Return only this many lines from the beginning; 0 returns all of them */, tail?: integer /* Return only this many lines from the end; 0 returns all of them */)',
      annotations: { readOnlyHint: true },
      relevance: 0.83,
      explanation: '"read" in name',
    })
    expect(results(result)[1]).not.toHaveProperty('explanation')
  })

  it('[R11] [R12] answers with full or minimal detail on request', () => {
    expect(results(rendered({ detail: 'full' }))[0]).toEqual({
      toolKey: 'filesystem:read_file',
      toolName: 'read_file',
      serverName: 'filesystem',
      name: 'filesystem__read_file',
      description: readFile.definition.description,
      inputSchema: readFile.definition.inputSchema,
      outputSchema: readFile.definition.outputSchema,
      annotations: readFile.definition.annotations,
      relevance: 0.83,
      explanation: '"read" in name',
    })
    expect(results(rendered({ detail: 'minimal' }))[1]).toEqual({
      toolKey: 'filesystem:write_file',
      toolName: 'write_file',
      serverName: 'filesystem',
      name: 'filesystem__write_file',
      relevance: 0.4,
    })
    expect(rendered({ detail: 'nonsense' })).toEqual(rendered({ detail: 'summary' }))
  })

  it('shows the exposed name only if it can be called', () => {
    expect(results(rendered({}))[0]).toHaveProperty('name', 'filesystem__read_file')
    expect(results(rendered({}, { callsByName: false }))[0]).not.toHaveProperty('name')
  })
})

describe('mcproxy', () => {
  const mcproxy = dialectNamed('mcproxy')
  const rendered = (outcome: SearchOutcome, query: string, view: Partial<SearchView> = {}) =>
    mcproxy.renderSearch(outcome, askOf(mcproxy, { query }), viewFor(mcproxy, { listGrows: true, ...view }))

  it('[P12] counts, numbers and describes the results and announces that they are available', () => {
    const result = rendered(found, 'file')
    expect(textOf(result)).toBe(
      [
        "Found 2 tool(s) matching 'file':",
        '',
        '1. **filesystem___read_file**',
        '   Read the complete contents of a file from disk.',
        '',
        '2. **filesystem___write_file**',
        '   Write text to a file, creating it when it does not exist and replacing what was there before.',
        '',
        'These tools are now available in your current session.',
      ].join('\n'),
    )
    expect(result['structuredContent']).toMatchObject({
      tools: [
        { name: 'filesystem___read_file', toolKey: 'filesystem:read_file', relevance: 0.83 },
        { name: 'filesystem___write_file', inputSchema: writeFile.definition.inputSchema },
      ],
      answeredBy: 'bm25',
    })
  })

  it('shows schemas and how to call to clients whose list does not grow', () => {
    const text = textOf(rendered(found, 'file', { listGrows: false }))
    expect(text).toContain(`   Input: ${JSON.stringify(readFile.definition.inputSchema)}`)
    expect(text).toMatch(/These tools are available now\. Call them by name, or with tool_execute\.$/)
    expect(textOf(rendered(found, 'file', { listGrows: false, callsByName: false }))).toMatch(
      /Call them with tool_execute/,
    )
  })

  it('[P13] answers a search without results with a helpful text', () => {
    const result = rendered(nothing, 'xyzzy')
    expect(textOf(result)).toBe("No tools found matching 'xyzzy'. Try a different search term.")
    expect(result['isError']).toBeUndefined()
  })

  it('repeats the query on one line, shortened', () => {
    const text = textOf(rendered(nothing, `a\nb ${'x'.repeat(5_000)}`))
    expect(text).toMatch(/^No tools found matching 'a b x+…'/)
    expect(text.length).toBeLessThan(300)
  })

  it('shows the description of the project', () => {
    const fetchUrl = eligible.list.find((tool) => tool.key === 'web:fetch_url')
    const outcome = answered({ found: fetchUrl === undefined ? [] : [{ tool: fetchUrl, relevance: 1 }] })
    expect(textOf(rendered(outcome, 'fetch'))).toContain('1. **web___fetch_url**\n   Ours.\n')
  })
})

describe('metamcp', () => {
  const metamcp = dialectNamed('metamcp')

  it.each([
    [undefined, 5],
    [3, 3],
    [0, 1],
    [50, 20],
    ['x', 5],
  ])('[M7] turns max_results %j into the limit %i', (maxResults, expected) => {
    expect(askOf(metamcp, { query: 'a', max_results: maxResults })).toMatchObject({
      queries: ['a'],
      maxResults: expected,
    })
  })

  it('returns the first tools for an empty query', () => {
    expect(askOf(metamcp, { query: '' })).toMatchObject({ queries: [''], whenBlank: 'first-tools' })
  })

  it('[M8] answers with tool references that end with their score, as JSON text and as structured content', () => {
    const result = metamcp.renderSearch(found, askOf(metamcp, { query: 'a' }), viewFor(metamcp))
    expect(result['structuredContent']).toEqual({
      tool_references: [
        {
          type: 'tool_reference',
          name: 'filesystem__read_file',
          tool_name: 'filesystem__read_file',
          description: 'Read the complete contents of a file from disk. (score: 0.83)',
          inputSchema: readFile.definition.inputSchema,
        },
        expect.objectContaining({
          name: 'filesystem__write_file',
          description: expect.stringMatching(/\(score: 0\.40\)$/),
        }),
      ],
      answeredBy: 'bm25',
    })
    expect(JSON.parse(textOf(result))).toEqual(result['structuredContent'])
    expect(result['content']).toHaveLength(1)
  })
})
