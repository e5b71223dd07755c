// MCProxy's limited list through a running gateway: the list, and the tools that a search adds to it.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, echoOf, type Json, raw, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

const SEARCH = 'search_available_tools'
const THINGS = ['apple', 'brick', 'chair', 'dress', 'eagle', 'flute', 'globe', 'horse', 'igloo', 'jewel']
const VERBS = ['paint', 'store', 'weigh']
/** Thirty tools of three servers, listed by each in an order of its own. */
const SERVERS = Object.fromEntries(
  ['zoo', 'yard', 'attic'].map((id, at) => {
    const verb = VERBS[at] ?? ''
    const tools = THINGS.toReversed().map((thing) =>
      textTool(`${verb}_${thing}`, `Will ${verb} one ${thing}.`, ['why']),
    )
    return [id, fixtureServer({ tools })]
  }),
)
const names = (server: string, verb: string) => THINGS.map((thing) => `${server}___${verb}_${thing}`)
const ZOO = names('zoo', 'paint')
const YARD = names('yard', 'store')
const ATTIC = names('attic', 'weigh')
/** Words that are like no other, one for each tool of a server: a search for one finds that tool alone. */
const WORDS = Array.from({ length: 55 }, (_, at) =>
  createHash('sha256')
    .update(String(at))
    .digest('hex')
    .slice(0, 12)
    .replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit))),
)
// With bm25 alone it is certain which hits are weak, and that a made-up word finds nothing.
const all = { servers: ['zoo', 'yard', 'attic'], strategy: 'bm25' }

let gateway: TestGateway

beforeAll(async () => {
  const projects = {
    limited: { ...all, maxToolsLimit: 12 },
    exact: { ...all, maxToolsLimit: 30 },
    standard: { servers: ['zoo', 'yard', 'attic', 'shed'], exposure: 'limited', dialect: 'mcproxy' },
    alphabetical: { ...all, maxToolsLimit: 12, toolSelectionOrder: ['alphabetical'] },
    both: { ...all, maxToolsLimit: 12, toolSelectionOrder: ['server_priority', 'alphabetical'] },
    strict: { ...all, maxToolsLimit: 12, searchThreshold: 0.9 },
    lenient: { ...all, maxToolsLimit: 12, searchThreshold: 0 },
    words: { servers: ['zoo', 'words'], strategy: 'bm25', maxToolsLimit: 10 },
  }
  const shed = fixtureServer({ tools: Array.from({ length: 33 }, (_, at) => textTool(`box_${at + 10}`, 'A box.')) })
  const words = fixtureServer({ tools: WORDS.map((word) => textTool(word, 'A word.')) })
  const endpoints = Object.fromEntries(Object.keys(projects).map((id) => [id, { project: id }]))
  gateway = await gatewayWith({ servers: { ...SERVERS, shed, words }, projects, endpoints }, { logLevel: 'debug' })
})

afterAll(() => gateway.stop())

describe.each<ClientKind>(['modern', 'legacy', 'v1', 'sse'])('a %s client', (kind) => {
  const listed = async (endpoint: string): Promise<string[]> =>
    (await (await gateway.client(kind, endpoint)).listTools()).map(({ name }) => name)
  const own = kind === 'modern' ? [SEARCH, 'tool_execute'] : [SEARCH]
  const search = async (query: string, endpoint: string): Promise<Json> =>
    (await gateway.client(kind, endpoint)).call(SEARCH, { query })

  it('[P1] gets fifty tools where no limit is set, and no weak hits', async () => {
    expect(await listed('standard')).toHaveLength(50 + own.length)
    // No tool removes anything, so that the horses are hits by their noun alone.
    const relevances = async (query: string, endpoint: string): Promise<number[]> =>
      (await search(query, endpoint))['structuredContent'].tools.map(({ relevance }: Json) => relevance)
    const weak = await relevances('remove horse', 'lenient')
    expect(weak).toHaveLength(3)
    for (const relevance of weak) expect(relevance).toBeLessThan(0.1)
    for (const endpoint of ['limited', 'standard']) expect(await relevances('remove horse', endpoint)).toEqual([])
    const kept = await relevances('horse race results yesterday', 'standard')
    expect(kept.length).toBeGreaterThan(0)
    for (const relevance of kept) expect(relevance).toBeGreaterThanOrEqual(0.1)
  })

  it('[P2] gets an unchanged list up to the limit, and above it the first tools and the search tool', async () => {
    expect((await listed('exact')).toSorted()).toEqual([...ZOO, ...YARD, ...ATTIC].toSorted())
    expect(await listed('alphabetical')).toHaveLength(12 + own.length)
    expect((await listed('alphabetical')).slice(0, own.length)).toEqual(own)
  })

  it('[P3] gets tools by server in configured order, or by name', async () => {
    expect((await listed('both')).slice(own.length)).toEqual([...ZOO, ...YARD.slice(0, 2)])
    expect((await listed('alphabetical')).slice(own.length)).toEqual([...ATTIC, ...YARD.slice(0, 2)])
  })

  it('[P4] gets names of server and tool with three underscores between', async () => {
    for (const name of await listed('exact')) expect(name).toMatch(/^(zoo|yard|attic)___\w+$/)
  })

  it('[P5] gets a search tool of one query that tells how many more tools there are', async () => {
    const client = await gateway.client(kind, 'both')
    const tool = (await client.listTools()).find(({ name }) => name === SEARCH)
    expect(tool?.['inputSchema']).toMatchObject({ properties: { query: { type: 'string' } }, required: ['query'] })
    expect(tool?.['description']).toMatch(/through \d+ additional/)
  })

  it('[P9] finds the tools of a server by its id and by its name', async () => {
    const named = { zoo: { ...SERVERS['zoo'], name: 'Painting for all' }, yard: { ...SERVERS['yard'] } }
    const project = { ...all, servers: ['zoo', 'yard'], maxToolsLimit: 1 }
    await using own = await gatewayWith({
      ...{ servers: named, projects: { own: project }, endpoints: { own: { project: 'own' } } },
    })
    const client = await own.client(kind, 'own')
    for (const query of ['server:zoo', 'server:"painting for all"', 'server:ZOO AND name:apple']) {
      const found = (await client.call(SEARCH, { query }))['structuredContent'].tools
      expect(found.length).toBeGreaterThan(0)
      expect(found.every(({ name }: Json) => name.includes('paint_'))).toBe(true)
    }
  })

  it('[P8] calls tools by name that are not listed', async () => {
    const client = await gateway.client(kind, 'both')
    expect(await listed('both')).not.toContain('attic___weigh_eagle')
    expect(echoOf(await client.call('attic___weigh_eagle', { why: 'a' }))).toEqual({
      tool: 'weigh_eagle',
      arguments: { why: 'a' },
    })
  })

  it('[P11] finds nothing below the threshold', async () => {
    const found = async (endpoint: string) => (await search('weigh a horse', endpoint))['structuredContent'].tools
    const relevances = (await found('lenient')).map(({ relevance }: Json) => relevance)
    expect(Math.min(...relevances)).toBeLessThan(0.9)
    for (const { relevance } of await found('strict')) expect(relevance).toBeGreaterThanOrEqual(0.9)
    expect((await found('strict')).length).toBeLessThan(relevances.length)
  })

  it('[P12] reads a numbered list with bold names, descriptions and a closing line', async () => {
    const result = await search('weigh eagle', 'both')
    const text = textOf(result)
    const { tools } = result['structuredContent']
    expect(text).toMatch(new RegExp(`^Found ${tools.length} tool\\(s\\) matching 'weigh eagle':\n`))
    expect(text).toContain('1. **attic___weigh_eagle**\n   Will weigh one eagle.')
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/available/)
    expect(tools[0]).toMatchObject({
      name: 'attic___weigh_eagle',
      toolKey: 'attic:weigh_eagle',
      relevance: expect.any(Number),
    })
  })

  it('[P13] reads a friendly sentence where nothing was found', async () => {
    const result = await search('zzqxjkv', 'both')
    expect(textOf(result)).toBe("No tools found matching 'zzqxjkv'. Try a different search term.")
    expect(result['isError']).toBeFalsy()
  })

  it('[P14] gets an error for a missing query', async () => {
    const result = await (await gateway.client(kind, 'both')).call(SEARCH, {})
    expect(result['isError']).toBe(true)
    expect(textOf(result)).toContain('INVALID_ARGUMENTS')
  })
})

describe.each<ClientKind>(['legacy', 'v1', 'sse'])('the session of a %s client', (kind) => {
  it('[P6] appends found tools to its list, and to that of no other session', async () => {
    const [client, other] = [await gateway.newClient(kind, 'limited'), await gateway.newClient(kind, 'limited')]
    const list = async (each = client) => (await each.listTools()).map(({ name }) => name)
    const before = await list()
    const first = await client.call(SEARCH, { query: 'name:weigh_eagle' })
    expect(textOf(first)).toContain('now available in your current session')
    const foundFirst = (first['structuredContent'].tools as Json[]).map(({ name }) => name)
    const added = foundFirst.filter((name) => !before.includes(name))
    expect(added).toContain('attic___weigh_eagle')
    expect(await list()).toEqual([...before, ...added])
    const second = await client.call(SEARCH, { query: 'name:store_jewel' })
    const more = (second['structuredContent'].tools as Json[]).map(({ name }) => name)
    expect(await list()).toEqual([...before, ...new Set([...added, ...more.filter((name) => !before.includes(name))])])
    expect(await list(other)).toEqual(before)
    expect(echoOf(await client.call('attic___weigh_eagle', { why: 'b' })).tool).toBe('weigh_eagle')
  })

  it('[P6] keeps fifty found tools, and evicts the least recently used one for the next', async () => {
    const client = await gateway.newClient(kind, 'words')
    const added = async () => (await client.listTools()).map(({ name }) => name).slice(1 + ZOO.length)
    const find = async (word = '') => {
      const { tools } = (await client.call(SEARCH, { query: word }))['structuredContent']
      expect(tools.map(({ toolKey }: Json) => toolKey)).toEqual([`words:${word}`])
    }
    const exposed = (words: readonly string[]) => words.map((word) => `words___${word}`)
    const [first = '', second = '', ...others] = WORDS
    for (const word of WORDS.slice(0, 50)) await find(word)
    expect(await added()).toEqual(exposed(WORDS.slice(0, 50)))
    // A call and a search are both a use: the third tool is now the one that was used longest ago.
    await client.call(`words___${first}`)
    await find(second)
    await find(WORDS[50])
    expect(await added()).toEqual(exposed([first, second, ...others.slice(1, 49)]))
    await find(WORDS[51])
    expect(await added()).toEqual(exposed([first, second, ...others.slice(2, 50)]))
  })
})

describe('a list that changed', () => {
  const HEADERS = { 'mcp-protocol-version': '2025-11-25' }
  const message = (id: number, method: string, params: Json = {}) => ({ jsonrpc: '2.0', id, method, params })

  it('[P7] is announced on the stream of the search, before the answer, and only if it did change', async () => {
    const url = `${gateway.url}/limited/mcp`
    const authorization = `Bearer ${gateway.secret()}`
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    const begun = await raw(url, message(0, 'initialize', hello), { authorization })
    const session = { ...HEADERS, authorization, 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' }
    await raw(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)
    const ask = async (id: number, query: string) => {
      const answer = await raw(url, message(id, 'tools/call', { name: SEARCH, arguments: { query } }), session)
      return messagesIn(answer.text).map((each) => each['method'] ?? `answer ${each['id']}`)
    }
    const changed = 'notifications/tools/list_changed'
    expect(await ask(1, 'weigh eagle')).toEqual([changed, 'answer 1'])
    expect(await ask(2, 'weigh eagle')).toEqual(['answer 2'])
    expect(await ask(3, 'name:paint_apple')).toEqual(['answer 3'])
    expect(await ask(4, 'zzqxjkv')).toEqual(['answer 4'])
    expect(await ask(5, 'store jewel')).toEqual([changed, 'answer 5'])
  })

  it('[P7] is announced to real clients before the answer', async () => {
    for (const kind of ['legacy', 'v1', 'sse'] as const) {
      const client = await gateway.newClient(kind, 'limited')
      await client.call(SEARCH, { query: 'weigh eagle' })
      expect(client.heard.map(({ method }) => method)).toEqual(['notifications/tools/list_changed'])
      await client.call(SEARCH, { query: 'weigh eagle' })
      expect(client.heard).toHaveLength(1)
    }
  })
})

describe('a plain tools/call over HTTP', () => {
  const call = (name: string, args: Json, headers: Record<string, string>) =>
    raw(
      `${gateway.url}/limited/mcp`,
      { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } },
      headers,
    )

  it('[P19] is answered without a session, with one JSON message', async () => {
    const authorization = `Bearer ${gateway.secret()}`
    for (const headers of [{ authorization }, { authorization, accept: 'application/json' }]) {
      const found = await call(SEARCH, { query: 'weigh eagle' }, headers)
      expect([found.status, found.headers.get('content-type')]).toEqual([200, 'application/json'])
      expect(JSON.parse(found.text)).toMatchObject({ id: 7, result: { content: [{ type: 'text' }] } })
      const called = JSON.parse((await call('attic___weigh_eagle', { why: 'x' }, headers)).text)
      expect(echoOf(called.result)).toEqual({ tool: 'weigh_eagle', arguments: { why: 'x' } })
      const unknown = JSON.parse((await call('attic___nothing', {}, headers)).text)
      expect(unknown).toMatchObject({ id: 7, error: { message: expect.stringContaining('nothing') } })
    }
  })

  it('[P19] [R40] is refused without a token', async () => {
    expect((await call(SEARCH, { query: 'weigh eagle' }, {})).status).toBe(401)
  })
})

describe('the configuration block of MCProxy', () => {
  const block = (more: Json = {}) => ({
    servers: SERVERS,
    middleware: {
      proxy: [
        {
          type: 'tool_search',
          enabled: true,
          config: { maxToolsLimit: 12, searchThreshold: 0.1, toolSelectionOrder: ['server_priority', 'alphabetical'] },
          ...more,
        },
      ],
    },
  })
  const listed = async (of: TestGateway): Promise<string[]> =>
    (await (await of.newClient('legacy')).listTools()).map(({ name }) => name)

  it('[P19] is accepted by tooldex.json: its limit, its order, and tools that a search adds', async () => {
    await using own = await gatewayWith(block())
    const client = await own.newClient('legacy')
    const names = async () => (await client.listTools()).map(({ name }) => name)
    expect(await names()).toEqual([SEARCH, ...ZOO, ...YARD.slice(0, 2)])
    expect(textOf(await client.call(SEARCH, { query: 'weigh eagle' }))).toContain('attic___weigh_eagle')
    expect(await names()).toContain('attic___weigh_eagle')
    own.configure(block({ config: { maxToolsLimit: 11, toolSelectionOrder: ['alphabetical'] } }))
    expect(await listed(own)).toEqual([SEARCH, ...ATTIC, YARD[0]])
  })

  it('[P19] lists every tool and no search while it is disabled', async () => {
    await using own = await gatewayWith(block({ enabled: false }))
    expect((await listed(own)).toSorted()).toEqual([...ZOO, ...YARD, ...ATTIC].toSorted())
  })

  it('[P19] yields to what the project default sets itself, and leaves other projects alone', async () => {
    await using own = await gatewayWith({
      ...block(),
      projects: { default: { maxTools: 3 }, other: { servers: ['zoo'], exposure: 'full' } },
      endpoints: { other: { project: 'other' } },
    })
    // The project default has the servers that no other project has.
    expect(await listed(own)).toEqual([SEARCH, ...YARD.slice(0, 3)])
    expect(await (await own.newClient('legacy', 'other')).listTools()).toHaveLength(ZOO.length)
  })
})

describe('a client without a session', () => {
  it('[P16] keeps its list, and can call what it finds at once, by name and through tool_execute', async () => {
    const client = await gateway.newClient('modern', 'limited')
    const before = await client.listTools()
    expect(before.map(({ name }) => name)).toEqual([SEARCH, 'tool_execute', ...ZOO, ...YARD.slice(0, 2)])
    const result = await client.call(SEARCH, { query: 'weigh eagle' })
    const [hit] = result['structuredContent'].tools as Json[]
    expect(hit).toMatchObject({
      name: 'attic___weigh_eagle',
      inputSchema: { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] },
    })
    expect(textOf(result)).toContain('Input: {"type":"object"')
    expect(await client.listTools()).toEqual(before)
    expect(client.heard).toEqual([])
    for (const [name, args] of [
      [hit?.['name'], { why: 'a' }],
      ['tool_execute', { toolKey: hit?.['toolKey'], arguments: { why: 'a' } }],
      ['tool_execute', { toolKey: hit?.['name'], arguments: { why: 'a' } }],
    ] as const) {
      expect(echoOf(await client.call(name, args)).tool).toBe('weigh_eagle')
    }
  })
})

describe('the index', () => {
  it('[P15] follows changed lists during searches', async () => {
    const first = Array.from({ length: 40 }, (_, at) => textTool(`old_${at}`, `An old lamp ${at}.`))
    await using changing = await gatewayWith({
      servers: {
        a: fixtureServer({ tools: first }),
        b: fixtureServer({ tools: [textTool('fixed', 'A fixed lamp.')] }),
      },
      projects: { p: { servers: ['a', 'b'], maxToolsLimit: 5 } },
      endpoints: { p: { project: 'p' } },
    })
    const client = await changing.client('modern', 'p')
    let isChanged = false
    const search = async () => {
      const result = await client.call(SEARCH, { query: 'lamp' })
      expect(result['isError']).toBeFalsy()
      return (result['structuredContent'].tools as Json[]).map(({ toolKey }) => toolKey)
    }
    const searching = (async () => {
      while (!isChanged) expect((await search()).length).toBeGreaterThan(0)
    })()
    await changing.changeTools('a', [textTool('new_lamp', 'A new lamp.')])
    isChanged = true
    await searching
    expect((await search()).toSorted()).toEqual(['a:new_lamp', 'b:fixed'])
  })
})

describe('debug logs', () => {
  it('[P17] tell how a query was parsed, the scores and the threshold, and why a list looks as it does', async () => {
    const client = await gateway.newClient('modern', 'limited')
    await client.call(SEARCH, { query: 'name:weigh AND "one eagle"' })
    const searched = gateway.lines.findLast(({ msg }) => msg === 'searched tools')
    expect(searched).toMatchObject({
      indexSize: 30,
      strategy: 'bm25',
      queries: ['name:words(1) AND phrase(2)'],
      threshold: 0.1,
      scores: expect.arrayContaining([expect.objectContaining({ toolKey: 'attic:weigh_eagle' })]),
    })
    await client.listTools()
    expect(gateway.lines.findLast(({ msg }) => msg === 'listed tools')).toMatchObject({
      endpointId: 'limited',
      exposure: 'limited',
      reason: 'set explicitly',
      eligible: 30,
      listed: 14,
    })
    expect(JSON.stringify(searched)).not.toContain('one eagle')
  })

  it('[P17] tell when an index was built or changed, its size, and how long it took', async () => {
    await using logged = await gatewayWith({ servers: SERVERS, projects: { all } }, { logLevel: 'debug' })
    const client = await logged.client('modern')
    const search = () => client.call('tool_discovery', { query: 'weigh eagle' }, { _meta: { projectId: 'all' } })
    await search()
    const line = (message: string) => logged.lines.findLast(({ msg }) => msg === message)
    expect(line('built a search index')).toMatchObject({
      strategy: 'bm25',
      tools: 30,
      changed: 30,
      ms: expect.any(Number),
    })
    await logged.changeTools('zoo', [textTool('paint_apple', 'Will paint one apple.', ['why'])])
    await search()
    expect(line('changed a search index')).toMatchObject({ strategy: 'bm25', tools: 21, ms: expect.any(Number) })
  })

  it('[P17] tell why auto decided as it did', async () => {
    await using auto = await gatewayWith(
      { servers: SERVERS, endpoints: { small: { tokenBudget: 10 }, large: { tokenBudget: 1_000_000 } } },
      { logLevel: 'debug' },
    )
    const told = async (endpoint: string) => {
      await (await auto.client('modern', endpoint)).listTools()
      return auto.lines.findLast(({ msg }) => msg === 'listed tools')
    }
    expect(await told('small')).toMatchObject({
      exposure: 'meta-tools',
      reason: expect.stringMatching(/tokens of at most \d+$/),
    })
    expect(await told('large')).toMatchObject({ exposure: 'full', listed: 30 })
  })
})

/** The JSON-RPC messages of an answer, in order, whether it is JSON or a stream of events. */
function messagesIn(text: string): Json[] {
  if (text.startsWith('{')) return [JSON.parse(text)]
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
}
