import { type SearchAnswer, type SearchProvider, type SearchRequest, ToolScope, ToolSearchError } from '@tooldex/search'
import { RegexProvider } from '@tooldex/search/regex'
import { describe, expect, it } from 'vitest'
import type { ProjectTool } from '../model/project.ts'
import type { AuditEntry } from '../model/audit.ts'
import type { ToolKey } from '../model/tool-key.ts'
import { searchedId } from '../catalog/search-index/indexed-tools.ts'
import { dialectNamed } from '../dialects/dialects.ts'
import { decideExposure } from '../exposure/decide-exposure.ts'
import { eligibleIn, namesFor, providerOver, TEN_NAMES, TEN_TOOLS } from '../exposure/fixture-ten-tools.case.ts'
import { resolveSettings } from '../exposure/resolve-settings.ts'
import type { DisclosureSettings } from '../model/settings.ts'
import { answerSearch } from '../clients/mcp/requests/answer-search.ts'
import type { SearchAsk, SearchOutcome } from './search-outcome.ts'
import { type SearchLog, ToolSearch } from './tool-search.ts'

const ASK: SearchAsk = { queries: ['read'], maxResults: 10, explain: false, whenBlank: 'nothing', detail: 'summary' }

interface Options {
  readonly provider?: SearchProvider
  readonly signal?: AbortSignal
  readonly log?: SearchLog
  readonly tools?: Readonly<Record<string, ProjectTool>>
  /** How far the system's clock goes each time that it is read. */
  readonly stepMs?: number
}

function searching({ provider = providerOver(TEN_TOOLS), signal, log, tools, stepMs = 5 }: Options = {}) {
  const entries: AuditEntry[] = []
  let time = 100
  const now = () => (time += stepMs)
  const audit = { record: (entry: AuditEntry) => void entries.push(entry) }
  const search = new ToolSearch({ provider: () => provider, audit, now, ...(log !== undefined && { log }) })
  const ids = { requestId: 'r', tokenId: 't', projectId: 'p', endpointId: 'e', from: { transport: 'stdio' } as const }
  const context = { ...ids, signal: signal ?? new AbortController().signal }
  const eligible = eligibleIn(TEN_TOOLS, tools)
  const run = (ask: Partial<SearchAsk>, own: DisclosureSettings = {}) =>
    search.search(eligible, resolveSettings(own, {}), { ...ASK, ...ask }, context)
  const answer = (input: unknown, own: DisclosureSettings, unnamed?: () => never) => {
    const settings = resolveSettings(own, {})
    const dialect = dialectNamed(settings.dialect)
    const { mode } = decideExposure({ settings, tokens: 0 })
    const names = unnamed ?? (() => namesFor(eligible, dialect.separator))
    return answerSearch(search, { dialect, input, eligible, settings, mode, names, listGrows: false, context })
  }
  return { run, answer, entries }
}

/** A provider with a scripted answer. */
function answering(answer: Partial<SearchAnswer> | Error): SearchProvider & { readonly asked: SearchRequest[] } {
  const asked: SearchRequest[] = []
  return {
    asked,
    strategy: 'cloud',
    deterministic: false,
    apply: () => undefined,
    search: async (request) => {
      asked.push(request)
      if (answer instanceof Error) throw answer
      return { hits: [], answeredBy: 'cloud', ...answer }
    },
  }
}

const keysOf = (outcome: SearchOutcome) =>
  outcome.state === 'off' ? undefined : outcome.found.map(({ tool }) => tool.key as string)

describe('a search', () => {
  it('searches only the tools that the caller may use', async () => {
    const { run } = searching({ tools: { 'filesystem:read_file': { allowed: false } } })
    expect(keysOf(await run({ queries: ['read file'] }))).not.toContain('filesystem:read_file')
    const provider = answering({})
    await searching({ provider }).run({ context: 'why', maxResults: 3 })
    expect(provider.asked[0]).toMatchObject({ queries: ['read'], context: 'why', maxResults: 3, explain: false })
    expect(provider.asked[0]?.within).toHaveProperty('size', 10)
  })

  it('drops results that a provider should not have returned', async () => {
    const hit = (id: string, relevance: number) => ({ id, score: 1, relevance })
    const hits = [
      hit('foreign:tool', 1),
      hit('web:fetch_url', 7),
      hit('web:fetch_url', 1),
      hit('code:search_code', NaN),
    ]
    const provider = answering({ hits: [...hits, hit('testing:run_tests', 0.5)] })
    const outcome = await searching({ provider }).run({ maxResults: 2 })
    expect(outcome).toMatchObject({ found: [{ relevance: 1 }, { relevance: 0 }] })
    expect(keysOf(outcome)).toEqual(['web:fetch_url', 'code:search_code'])
  })

  it('[P11] leaves out hits below the threshold', async () => {
    const hit = (id: string, relevance: number) => ({ id, score: 1, relevance })
    const provider = answering({ hits: [hit('web:fetch_url', 0.5), hit('code:search_code', 0.49)] })
    const { run } = searching({ provider })
    expect(keysOf(await run({}, { searchThreshold: 0.5 }))).toEqual(['web:fetch_url'])
    expect(keysOf(await run({}))).toHaveLength(2)
  })

  it('[R15] explains a hit by its words, or by the strategy that chose it', async () => {
    const outcome = await searching().run({ queries: ['deploy'], explain: true })
    expect(outcome).toMatchObject({ found: [{ explanation: expect.stringMatching(/^"deploy" in name/) }] })
    const provider = answering({ hits: [{ id: 'web:fetch_url', score: 1, relevance: 1 }] })
    expect(await searching({ provider }).run({ explain: true })).toMatchObject({
      found: [{ explanation: 'chosen by cloud' }],
    })
  })

  it('[R9] finds nothing for blank queries, without an error', async () => {
    expect(keysOf(await searching().run({ queries: ['', ' '] }))).toEqual([])
  })

  it('[M10] lists the first tools for an empty query, in stable order', async () => {
    const outcome = await searching().run({ queries: [' '], whenBlank: 'first-tools', maxResults: 3 })
    expect(keysOf(outcome)).toEqual(['filesystem:read_file', 'filesystem:write_file', 'filesystem:list_directory'])
  })

  it('answers `off` without searching', async () => {
    const provider = answering(new Error('must not be asked'))
    expect(await searching({ provider }).run({}, { strategy: null })).toMatchObject({
      state: 'off',
      notices: [{ code: 'SEARCH_OFF' }],
    })
  })

  it('[U12] has a verdict by the best hit, and names it where the threshold drops it', async () => {
    const key = eligibleIn(TEN_TOOLS).list[0]?.key ?? ''
    const provider = answering({ hits: [{ id: key, score: 1, relevance: 0.2 }] })
    const outcome = await searching({ provider }).run({}, { searchThreshold: 0.5 })
    expect(outcome).toMatchObject({ found: [], verdict: 'none', nearest: { key } })
    expect(await searching({ provider }).run({ queries: [' '] })).not.toHaveProperty('verdict')
  })

  it('passes on which strategy answered instead of which', async () => {
    const degraded = { strategy: 'cloud', reason: 'down' }
    const provider = answering({ answeredBy: 'bm25', degraded })
    expect(await searching({ provider }).run({})).toMatchObject({ answeredBy: 'bm25', degraded })
  })

  it.each([
    ['cloud', 'cloud search could not answer (down); bm25 answered instead.'],
    // Another embedder, or the index in memory where an engine is away.
    ['bm25', 'bm25 search answered by a substitute (down).'],
  ])('says in a notice that %s is not what answered, and no more than it knows', async (strategy, text) => {
    const provider = answering({ answeredBy: 'bm25', degraded: { strategy, reason: 'down' } })
    const { notices } = await searching({ provider }).run({})
    expect(notices).toContainEqual({ code: 'DEGRADED', text })
  })

  it('fails with a code when no strategy can answer, and when the caller has gone', async () => {
    const down = new ToolSearchError('SEARCH_UNAVAILABLE', { reason: 'secret address' })
    const failure = searching({ provider: answering(down) }).run({})
    await expect(failure).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE' })
    await expect(failure).rejects.not.toThrow(/secret/)
    await expect(searching({ signal: AbortSignal.abort() }).run({})).rejects.toMatchObject({ code: 'CALL_CANCELLED' })
  })
})

describe('the audit', () => {
  const common = {
    kind: 'search',
    at: 105,
    requestId: 'r',
    tokenId: 't',
    projectId: 'p',
    endpointId: 'e',
    transport: 'stdio',
    durationMs: expect.any(Number) as number,
  }

  it('has one entry with the queries, the results and the client', async () => {
    const { run, entries } = searching()
    await run({ queries: ['deploy', 'xyzzy'], maxResults: 1 })
    const found = { queryCount: 2, resultKeys: ['devops:deploy_app'], answeredBy: 'bm25' }
    expect(entries).toEqual([{ ...common, outcome: 'ok', queries: ['deploy', 'xyzzy'], ...found }])
  })

  it.each([
    ['ok', answering({ degraded: { strategy: 'cloud', reason: 'down' } }), {}],
    ['SEARCH_OFF', answering({}), { strategy: null }],
    ['SEARCH_UNAVAILABLE', answering(new ToolSearchError('SEARCH_UNAVAILABLE')), {}],
    ['INTERNAL', answering(new Error('bug')), {}],
  ] as const)('has one entry with the outcome %s', async (outcome, provider, own) => {
    const { run, entries } = searching({ provider })
    await run({}, own).catch(() => undefined)
    expect(entries).toHaveLength(1)
    expect(entries[0]).toMatchObject({ ...common, outcome, resultKeys: [] })
  })

  it('says how long a search took when the system is set back meanwhile', async () => {
    const { run, entries } = searching({ stepMs: -3_600_000 })
    await run({})
    expect(entries[0]?.durationMs).toBeGreaterThan(0)
    expect(entries[0]?.durationMs).toBeLessThan(60_000)
  })

  it('makes no names where tools are called by their keys', async () => {
    const unnamed = (): never => {
      throw new Error('names of thousands of tools take long to make')
    }
    const answered = await searching().answer({ query: ['read file'] }, { exposure: 'meta-tools' }, unnamed)
    expect(answered.found.length).toBeGreaterThan(0)
  })

  it('has one entry for arguments that could not be understood', async () => {
    const { answer, entries } = searching()
    const { result, found } = await answer({ query: 7 }, {})
    expect(result['isError']).toBe(true)
    expect(found).toEqual([])
    expect(entries).toMatchObject([{ outcome: 'INVALID_ARGUMENTS', queryCount: 0, answeredBy: 'none' }])
  })
})

describe('a tool that its project describes in its own words', () => {
  it('is searched by them, and found under its key', async () => {
    const words = 'Puts a release on the moon.'
    const provider = answering({
      hits: [{ id: searchedId('devops:deploy_app' as ToolKey, words), score: 1, relevance: 1 }],
    })
    const { run, entries } = searching({ provider, tools: { 'devops:deploy_app': { description: words } } })
    const outcome = await run({ queries: ['moon'] })
    expect(outcome).toMatchObject({ found: [{ tool: { key: 'devops:deploy_app' } }] })
    expect(entries).toMatchObject([{ resultKeys: ['devops:deploy_app'] }])
    await run({ queries: ['moon'] })
    const [within, again] = provider.asked.map((request) => request.within)
    expect(within).toBe(again)
    const ids = [...(within as ToolScope).ids()]
    expect(ids).toHaveLength(10)
    expect(ids).not.toContain('devops:deploy_app')
  })

  it('leaves the scope alone where there are no such words', async () => {
    const provider = answering({})
    await searching({ provider, tools: { 'devops:deploy_app': { pinned: true } } }).run({ queries: ['moon'] })
    const [within] = provider.asked.map((request) => request.within)
    expect(within).toBeInstanceOf(ToolScope)
    expect([...(within as ToolScope).ids()]).toContain('devops:deploy_app')
  })
})

describe('the log', () => {
  it('logs once that searches are degraded, and once that they no longer are', async () => {
    const lines: object[] = []
    const log = {
      isLevelEnabled: () => false,
      info: (facts: object, msg: string) => void lines.push({ ...facts, msg }),
      debug: () => {},
    }
    let degraded: SearchAnswer['degraded'] = { strategy: 'hybrid', reason: 'down' }
    const provider: SearchProvider = {
      ...answering({}),
      search: async () => ({
        hits: [],
        answeredBy: 'hybrid',
        embedder: 'm',
        ...(degraded !== undefined && { degraded }),
      }),
    }
    const { run } = searching({ provider, log })
    await run({ queries: ['secret words'] })
    await run({ queries: ['secret words'] })
    degraded = undefined
    await run({ queries: ['secret words'] })
    await run({ queries: ['secret words'] })
    expect(lines).toEqual([
      { strategy: 'hybrid', answeredBy: 'hybrid', embedder: 'm', reason: 'down', msg: 'searches are degraded' },
      { strategy: 'hybrid', answeredBy: 'hybrid', embedder: 'm', msg: 'searches are no longer degraded' },
    ])
  })
})

describe('the debug log', () => {
  it('contains index size, query shapes, scores and threshold, and no words of queries', async () => {
    const lines: object[] = []
    const log = { isLevelEnabled: () => true, info: () => {}, debug: (facts: object) => void lines.push(facts) }
    await searching({ log }).run({ queries: ['name:deploy AND app'] }, { strategy: 'bm25', searchThreshold: 0.2 })
    expect(lines).toMatchObject([
      {
        indexSize: 10,
        strategy: 'bm25',
        queries: ['name:words(1) AND words(1)'],
        scores: [{ toolKey: 'devops:deploy_app', score: expect.any(Number), relevance: expect.any(Number) }],
        threshold: 0.2,
        kept: 1,
      },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/name:deploy/)
  })

  it('costs nothing while the debug level is off', async () => {
    const log = { isLevelEnabled: () => false, info: () => {}, debug: () => expect.unreachable() }
    await searching({ log }).run({})
  })
})

describe('the ten tools', () => {
  const metamcp = { exposure: 'deferred', dialect: 'metamcp' } as const
  async function namesFound(query: string, own: DisclosureSettings = {}, provider?: SearchProvider) {
    const { answer } = searching(provider === undefined ? {} : { provider })
    const { result } = await answer({ query }, { ...metamcp, ...own })
    const { tool_references: references } = result['structuredContent'] as { tool_references: { name: string }[] }
    return references.map(({ name }) => name)
  }

  it('are found by need', async () => {
    expect((await namesFound('read contents from disk'))[0]).toBe('filesystem__read_file')
    expect(await namesFound('I need to send data to a web server')).toContain('web__post_request')
    expect((await namesFound('send http request url')).slice(0, 2).toSorted()).toEqual([
      'web__fetch_url',
      'web__post_request',
    ])
    expect(await namesFound('zebra quagga okapi')).toEqual([])
  })

  it('are found by pattern', async () => {
    const regex = { strategy: 'regex' } as const
    const files = await namesFound('FILE', regex, providerOver(TEN_TOOLS, new RegexProvider()))
    expect(files).toEqual(expect.arrayContaining(TEN_NAMES.slice(0, 3)))
    const database = await namesFound('database', regex, providerOver(TEN_TOOLS, new RegexProvider()))
    expect(database.toSorted()).toEqual(['database__insert_record', 'database__query_database'])
  })
})
