// MetaMCP's acceptance suite for tool search, fifty behaviours on its fixture of ten tools, each through a running
// endpoint with a real MCP client.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TEN_NAMES, TEN_TOOLS } from '../../packages/gateway/src/exposure/fixture-ten-tools.case.ts'
import { TokenEstimate } from '../../packages/gateway/src/exposure/token-estimate.ts'
import { type ClientKind, echoOf, type Json, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

const SEARCH = 'metamcp_search_tools'
const ALL = [...TEN_TOOLS.keys()]
const FILES = [{ type: 'text', text: 'hello' }]
const CONTENTS = { result: { content: FILES, structuredContent: { content: 'hello', size: 5 } } } as const

/** Small tools: hiding them saves least. */
const HUNDRED = Array.from({ length: 100 }, (_, at) => textTool(`step_${at}`, `Do step ${at} of the plan.`, ['value']))

/** A project of all six servers. */
const project = (settings: object) => ({ servers: ALL, ...settings })
const deferred = (method: string, more: object = {}) =>
  project({ default_defer_loading: true, default_search_method: method, ...more })

const PROJECTS = {
  bm25: deferred('BM25'),
  regex: deferred('REGEX'),
  embeddings: deferred('EMBEDDINGS'),
  unsearched: deferred('NONE'),
  plain: project({ default_defer_loading: false, default_search_method: 'BM25' }),
  silent: project({ default_defer_loading: false, default_search_method: 'NONE' }),
  overridden: deferred('BM25', { tools: { 'filesystem:read_file': { defer_loading: 'DISABLED' } } }),
  mixed: project({
    default_defer_loading: false,
    default_search_method: 'NONE',
    tools: {
      'filesystem:read_file': { defer_loading: 'DISABLED' },
      'web:fetch_url': { defer_loading: 'ENABLED' },
      'code:search_code': { defer_loading: 'INHERIT' },
    },
  }),
  several: deferred('BM25', {
    tools: {
      'filesystem:read_file': { defer_loading: 'DISABLED' },
      'database:query_database': { defer_loading: 'DISABLED' },
      'web:fetch_url': { defer_loading: 'ENABLED' },
      'devops:deploy_app': { defer_loading: 'INHERIT' },
    },
  }),
  hidden: deferred('BM25', { default_tool_visibility: 'SEARCH_ONLY' }),
  mute: project({ default_search_method: 'NONE', default_tool_visibility: 'SEARCH_ONLY' }),
  hundred: { servers: ['plain'], default_search_method: 'BM25', default_tool_visibility: 'ALL' },
  empty: { servers: [], default_defer_loading: true, default_search_method: 'BM25' },
}

const inherit = { override_defer_loading: 'INHERIT', override_search_method: 'INHERIT', override_tool_visibility: null }
/** An endpoint for each project without settings of its own, and endpoints with overrides. */
const ENDPOINTS = {
  ...Object.fromEntries(Object.keys(PROJECTS).map((id) => [id, { project: id }])),
  inheriting: { project: 'bm25', ...inherit },
  disabled: { project: 'bm25', override_defer_loading: 'DISABLED', override_search_method: 'INHERIT' },
  'disabled-regex': {
    project: 'regex',
    override_defer_loading: 'DISABLED',
    override_search_method: 'INHERIT',
    override_tool_visibility: 'SEARCH_ONLY',
  },
  enabled: { project: 'silent', override_defer_loading: 'ENABLED', override_search_method: 'REGEX' },
  'enabled-mixed': { project: 'mixed', override_defer_loading: 'ENABLED', override_search_method: 'BM25' },
  shown: { project: 'hidden', override_tool_visibility: 'ALL' },
  'hidden-inheriting': { project: 'hidden', override_tool_visibility: null },
  'hundred-hidden': { project: 'hundred', override_tool_visibility: 'SEARCH_ONLY' },
  narrowed: { project: 'bm25', override_tool_visibility: 'SEARCH_ONLY' },
}

let gateway: TestGateway

beforeAll(async () => {
  const servers = Array.from(TEN_TOOLS, ([id, tools]) => {
    const answers = id === 'filesystem' ? ([['read_file', CONTENTS]] as const) : []
    return [id, fixtureServer({ tools, answers })] as const
  })
  const plain = fixtureServer({ tools: HUNDRED })
  gateway = await gatewayWith({
    servers: { ...Object.fromEntries(servers), plain },
    projects: PROJECTS,
    endpoints: ENDPOINTS,
  })
})

afterAll(() => gateway.stop())

describe.each<ClientKind>(['modern', 'v1'])('a %s client', (kind) => {
  const list = async (endpoint: string): Promise<Json[]> => (await gateway.client(kind, endpoint)).listTools()
  const call = async (endpoint: string, name: string, args?: Json): Promise<Json> =>
    (await gateway.client(kind, endpoint)).call(name, args)
  const search = (endpoint: string, query: string, more: Json = {}): Promise<Json> =>
    call(endpoint, SEARCH, { query, ...more })
  const found = async (endpoint: string, query: string, more: Json = {}): Promise<Json[]> =>
    (await search(endpoint, query, more))['structuredContent'].tool_references
  const foundNames = async (endpoint: string, query: string, more: Json = {}): Promise<string[]> =>
    (await found(endpoint, query, more)).map(({ name }) => name)

  describe('defer_loading', () => {
    it('[E1] finds every tool flagged where deferring is on', async () => {
      expect(flagged(await list('bm25'))).toEqual(TEN_NAMES)
    })

    it('[E2] finds the search tool without the flag', async () => {
      const tool = named(SEARCH, await list('bm25'))
      expect(tool).not.toHaveProperty('defer_loading')
      expect(tool['_meta']).toEqual({ 'anthropic/alwaysLoad': true })
    })

    it('[E3] finds a tool that opted out without the flag', async () => {
      expect(flagged(await list('overridden'))).toEqual(allBut('filesystem__read_file'))
    })

    it('[E4] finds no flags where the endpoint disables deferring', async () => {
      const tools = await list('disabled')
      expect(names(tools)).toEqual(TEN_NAMES)
      expect(flagged(tools)).toEqual([])
    })

    it('[E5] gets the settings of the project where the endpoint inherits', async () => {
      expect(await list('inheriting')).toEqual(await list('bm25'))
    })

    it('[E6] gets flags and regex search where the endpoint enables both over a project with neither', async () => {
      expect(flagged(await list('silent'))).toEqual([])
      const tools = await list('enabled')
      expect(flagged(tools)).toEqual(TEN_NAMES)
      expect(names(tools)).toContain(SEARCH)
      expect(await foundNames('enabled', 'read_(file|url)')).toEqual(['filesystem__read_file'])
    })

    it('[E7] searches with the method of the project where the endpoint disables deferring and inherits the rest', async () => {
      const { structuredContent } = await search('disabled-regex', 'read_(file|url)')
      expect(structuredContent).toMatchObject({ answeredBy: 'regex', tool_references: [{ type: 'tool_reference' }] })
      const { answeredBy } = await gateway.inside.find(['file'], { ...CALLER, endpointId: 'disabled' })
      expect(answeredBy).toBe('bm25')
    })

    it('[E8] finds overrides of single tools in force with any endpoint', async () => {
      expect(flagged(await list('enabled-mixed'))).toEqual(allBut('filesystem__read_file'))
      expect(flagged(await list('mixed'))).toEqual(['web__fetch_url'])
    })

    it('[E9] gets the flag as a boolean', async () => {
      for (const tool of (await list('bm25')).filter(({ name }) => name !== SEARCH)) {
        expect(tool['defer_loading']).toBe(true)
      }
    })

    it('[E10] gets everything else of a flagged tool as its server sent it', async () => {
      const tools = await list('bm25')
      for (const [server, definitions] of TEN_TOOLS) {
        for (const definition of definitions) {
          const { name, defer_loading: _, _meta, ...rest } = named(`${server}__${definition.name}`, tools)
          expect({ ...rest, name: definition.name }).toEqual(definition)
          expect(_meta).toEqual({ 'io.tooldex/defer_loading': true })
          expect(name).toBe(`${server}__${definition.name}`)
        }
      }
    })
  })

  describe('the list with deferring', () => {
    it.each(['bm25', 'regex', 'embeddings'])('[E11] has the search tool for %s', async (endpoint) => {
      expect(names(await list(endpoint))).toContain(SEARCH)
      expect((await found(endpoint, 'file')).length).toBeGreaterThan(0)
    })

    it('[E12] has no search tool where deferring is off', async () => {
      expect(names(await list('plain'))).toEqual(TEN_NAMES)
    })

    it('[E13] has no search tool without a method', async () => {
      expect(names(await list('unsearched'))).toEqual(TEN_NAMES)
    })

    it('[E14] has the search tool and the ten', async () => {
      expect(names(await list('bm25'))).toEqual([SEARCH, ...TEN_NAMES])
    })

    it('[E15] has a name and a schema for each of the eleven', async () => {
      const tools = await list('bm25')
      expect(tools).toHaveLength(11)
      for (const { name, inputSchema } of tools) {
        expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(inputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) })
      }
    })
  })

  describe('the search tool', () => {
    it('[E16] answers with tool references', async () => {
      const references = await found('bm25', 'file operations')
      expect(references.length).toBeGreaterThan(0)
      for (const { type } of references) expect(type).toBe('tool_reference')
    })

    it.each(['bm25', 'regex'])('[E17] finds tools of the filesystem for "file" with %s', async (endpoint) => {
      expect(await foundNames(endpoint, 'file')).toEqual(
        expect.arrayContaining(['filesystem__read_file', 'filesystem__write_file']),
      )
    })

    it.each(['bm25', 'regex'])('[E18] finds tools of the database for "database" with %s', async (endpoint) => {
      expect(await foundNames(endpoint, 'database')).toEqual(
        expect.arrayContaining(['database__query_database', 'database__insert_record']),
      )
    })

    it('[E19] answers no more than asked for', async () => {
      expect(await found('bm25', 'file', { max_results: 1 })).toHaveLength(1)
      expect(await found('regex', '.', { max_results: 3 })).toHaveLength(3)
    })

    it('[E20] puts the reading tool first for "read contents from disk"', async () => {
      expect((await foundNames('bm25', 'read contents from disk'))[0]).toBe('filesystem__read_file')
    })

    it('[E21] finds web tools for "I need to send data to a web server"', async () => {
      const [first, ...others] = await foundNames('bm25', 'I need to send data to a web server')
      expect(first).toBe('web__post_request')
      expect(others).toContain('web__fetch_url')
    })

    it('[E22] finds only names that exist, and each can be called in a full run', async () => {
      const listed = names(await list('bm25'))
      expect(listed).toContain(SEARCH)
      const hits = await foundNames('bm25', 'search the source code for a symbol')
      for (const name of hits) expect(TEN_NAMES).toContain(name)
      expect(hits[0]).toBe('code__search_code')
      const result = await call('bm25', String(hits[0]), { pattern: 'main' })
      expect(echoOf(result)).toEqual({ tool: 'search_code', arguments: { pattern: 'main' } })
    })

    it('[E23] serves clients that do not support deferring', async () => {
      const client = await gateway.newClient(kind, 'bm25')
      const result = await client.call(SEARCH, { query: 'run tests' })
      expect(JSON.parse(textOf(result)).tool_references[0].name).toBe('testing__run_tests')
      expect(echoOf(await client.call('testing__run_tests', { project: 'x' })).tool).toBe('run_tests')
      await client.close()
    })

    it('[E24] takes an empty query', async () => {
      const result = await search('bm25', '')
      expect(result['isError']).toBeFalsy()
      expect(result['structuredContent'].tool_references).toHaveLength(5)
    })

    it.each(['bm25', 'regex'])('[E25] answers with nothing where nothing fits, with %s', async (endpoint) => {
      const result = await search(endpoint, 'zzqxjkv')
      expect(result['isError']).toBeFalsy()
      expect(result['structuredContent'].tool_references).toEqual([])
    })

    it.each([{}, { query: 7 }, { query: null }, { query: [] }, { max_results: 3 }])(
      '[E26] refuses the arguments %j with its schema',
      async (args) => {
        const result = await call('bm25', SEARCH, args)
        expect(result['isError']).toBe(true)
        expect(textOf(result)).toContain('INVALID_ARGUMENTS')
        expect(textOf(result)).toContain('"max_results"')
      },
    )

    it('[E27] searches an empty catalog without an error', async () => {
      expect(names(await list('empty'))).toEqual([SEARCH])
      expect(await found('empty', 'file')).toEqual([])
      expect(await found('empty', '')).toEqual([])
    })

    it('[E28] finds with regex only tools that contain the word', async () => {
      const hits = await foundNames('regex', 'database', { max_results: 20 })
      expect(hits.length).toBeGreaterThan(0)
      const tools = await list('regex')
      for (const name of hits) expect(JSON.stringify(named(name, tools)).toLowerCase()).toContain('database')
    })

    it.each(['bm25', 'regex'])('[E29] ignores case with %s', async (endpoint) => {
      expect(await foundNames(endpoint, 'DATABASE')).toEqual(await foundNames(endpoint, 'database'))
    })

    it.each(['bm25', 'regex'])('[E30] answers with scores that never rise, with %s', async (endpoint) => {
      const scores = (await found(endpoint, 'file', { max_results: 20 })).map(scoreOf)
      expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    })

    it('[E31] finds fetching or posting for "send http request url"', async () => {
      expect(['web__fetch_url', 'web__post_request']).toContain((await foundNames('bm25', 'send http request url'))[0])
    })

    it('[E32] answers with references of the documented shape, as structure and as text', async () => {
      const result = await search('bm25', 'read a file')
      expect(JSON.parse(textOf(result))).toEqual(result['structuredContent'])
      for (const reference of result['structuredContent'].tool_references) {
        expect(reference).toEqual({
          type: 'tool_reference',
          name: expect.any(String),
          tool_name: reference.name,
          description: expect.any(String),
          inputSchema: expect.objectContaining({ type: 'object' }),
        })
      }
    })

    it('[E33] tells the score at the end of the description', async () => {
      for (const { description } of await found('bm25', 'read a file')) {
        expect(description).toMatch(/\S \(score: [01]\.\d\d\)$/)
      }
    })
  })

  describe('the whole chain', () => {
    it('[E34] flags tools and adds the search tool', async () => {
      const tools = await list('bm25')
      expect(flagged(tools)).toHaveLength(10)
      expect(names(tools)).toContain(SEARCH)
    })

    it('[E35] only flags tools where there is no method', async () => {
      const tools = await list('unsearched')
      expect(flagged(tools)).toEqual(TEN_NAMES)
      expect(names(tools)).not.toContain(SEARCH)
    })

    it('[E36] changes nothing where deferring is off', async () => {
      const tools = await list('plain')
      expect(tools.map(({ name: _, ...rest }) => rest)).toEqual(
        [...TEN_TOOLS.values()].flat().map(({ name: _, ...rest }) => rest),
      )
    })

    it('[E37] gives clients with and without support the same eleven', async () => {
      const modern = await (await gateway.client('modern', 'bm25')).listTools()
      for (const other of ['legacy', 'v1', 'sse'] as const) {
        expect(await (await gateway.client(other, 'bm25')).listTools()).toEqual(modern)
      }
      expect(modern).toHaveLength(11)
    })

    it('[E38] calls flagged tools like any other', async () => {
      for (const tool of flagged(await list('bm25'))) {
        const result = await call('bm25', tool, EXAMPLES[tool] ?? {})
        expect(result['isError'], textOf(result)).toBeFalsy()
      }
    })

    it('[E39] follows the settings of the project', async () => {
      expect(flagged(await list('bm25'))).toHaveLength(10)
      expect(flagged(await list('plain'))).toHaveLength(0)
    })

    it('[E40] follows the override of the endpoint', async () => {
      expect(flagged(await list('enabled'))).toHaveLength(10)
      expect(flagged(await list('disabled'))).toHaveLength(0)
    })

    it('[E41] follows several overrides of single tools at once', async () => {
      expect(flagged(await list('several'))).toEqual(allBut('filesystem__read_file', 'database__query_database'))
    })
  })

  describe('visibility', () => {
    it('[E42] shows exactly the search tool where it is SEARCH_ONLY', async () => {
      expect(names(await list('hidden'))).toEqual([SEARCH])
    })

    it('[E43] shows nothing where it is SEARCH_ONLY and there is no method', async () => {
      expect(await list('mute')).toEqual([])
    })

    it('[E44] shows all eleven where it is ALL', async () => {
      expect(names(await list('shown'))).toEqual([SEARCH, ...TEN_NAMES])
    })

    it('[E45] is inherited from the project', async () => {
      expect(names(await list('hidden-inheriting'))).toEqual([SEARCH])
    })

    it('[E46] is that of the endpoint, whichever the project has', async () => {
      expect(await list('shown')).toHaveLength(11)
      expect(names(await list('narrowed'))).toEqual([SEARCH])
    })

    it('[E47] is ALL where it is not set', async () => {
      expect(await list('bm25')).toHaveLength(11)
    })

    it('[E48] lets a client list, search, discover and call', async () => {
      const client = await gateway.newClient(kind, 'hidden')
      expect(names(await client.listTools())).toEqual([SEARCH])
      const { structuredContent } = await client.call(SEARCH, { query: 'file operations', max_results: 5 })
      expect(structuredContent.tool_references.map(({ name }: Json) => name)).toContain('filesystem__read_file')
      expect(await client.call('filesystem__read_file', { path: '/a' })).toMatchObject(CONTENTS.result)
      await client.close()
    })

    it('[E49] saves more than nine tenths of the tools with SEARCH_ONLY', async () => {
      const [shown, whole] = [await list('hidden'), await list('bm25')]
      expect(1 - shown.length / whole.length).toBeGreaterThan(0.9)
    })

    it('[E49] saves more than nine tenths of the tokens with SEARCH_ONLY in a catalog of 100 tools', async () => {
      const [shown, whole] = [await list('hundred-hidden'), await list('hundred')]
      expect(whole.length).toBe(100)
      const tokens = new TokenEstimate()
      expect(1 - tokens.ofListing(shown) / tokens.ofListing(whole)).toBeGreaterThan(0.9)
    })

    it('[E50] differs from deferring in the list alone: either finds and calls the same', async () => {
      expect(names(await list('hidden'))).toEqual([SEARCH])
      expect(flagged(await list('bm25'))).toEqual(TEN_NAMES)
      expect(await found('hidden', 'deploy an application')).toEqual(await found('bm25', 'deploy an application'))
      const args = EXAMPLES['devops__deploy_app']
      const results = await Promise.all(
        ['hidden', 'bm25'].map((endpoint) => call(endpoint, 'devops__deploy_app', args)),
      )
      expect(echoOf(results[0] ?? {})).toEqual(echoOf(results[1] ?? {}))
    })
  })
})

const CALLER = { principal: { tokenId: 'test', name: 'test', readOnly: false } }

/** Arguments that fit each tool. */
const EXAMPLES: Readonly<Record<string, Json>> = {
  filesystem__read_file: { path: '/a' },
  filesystem__write_file: { path: '/a', content: 'b' },
  filesystem__list_directory: { path: '/' },
  web__fetch_url: { url: 'https://example.org/' },
  web__post_request: { url: 'https://example.org/', body: {} },
  database__query_database: { sql: 'select 1' },
  database__insert_record: { table: 't', record: {} },
  code__search_code: { pattern: 'main' },
  testing__run_tests: { project: 'x' },
  devops__deploy_app: { app: 'shop', version: '2', environment: 'staging' },
}

function names(tools: readonly Json[]): string[] {
  return tools.map(({ name }) => name)
}

function flagged(tools: readonly Json[]): string[] {
  return names(tools.filter((tool) => tool['defer_loading'] === true))
}

function allBut(...others: readonly string[]): string[] {
  return TEN_NAMES.filter((name) => !others.includes(name))
}

function named(name: string, tools: readonly Json[]): Json {
  const tool = tools.find((each) => each['name'] === name)
  if (tool === undefined) throw new Error(`${name} is not listed`)
  return tool
}

function scoreOf({ description }: Json): number {
  return Number(/\(score: (\d\.\d\d)\)$/.exec(description)?.[1])
}
