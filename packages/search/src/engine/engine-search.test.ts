import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Bm25Provider } from '../providers/bm25/bm25-provider.ts'
import { HybridProvider } from '../providers/hybrid/hybrid-provider.ts'
import { waitingEmbedder } from '../providers/meaning/toy-embedder.case.ts'
import type { IndexedTool } from '../tool/tool.ts'
import type { AnalysedTool, Candidates, CatalogEngine, ToolRule } from './catalog-engine.ts'
import { contractEmbedder, engineTool, EVERYTHING } from './engine-contract.case.ts'
import { EngineSearch } from './engine-search.ts'
import { MemoryEngine } from './memory-engine.ts'
import { ToolAnalyser } from './tool-analyser.ts'

const word = fc.constantFrom('create', 'issue', 'file', 'list', 'mail', 'weather', 'query')
const words = fc.array(word, { minLength: 1, maxLength: 4 })
const tool = fc
  .record({ namespace: fc.constantFrom('github', 'mail', 'files'), name: words, description: words })
  .map(({ namespace, name, description }) => engineTool(namespace, name.join('_'), description.join(' ')))
const catalog = fc.uniqueArray(tool, { selector: ({ id }) => id, minLength: 3, maxLength: 30 })

async function engineOf(tools: readonly IndexedTool[]): Promise<MemoryEngine> {
  const engine = new MemoryEngine()
  const put = await new ToolAnalyser(contractEmbedder).analyse(tools)
  await engine.apply({ from: 0, to: 1, put, remove: [] })
  return engine
}

/** An engine whose answers are changed on their way. */
function altered(engine: CatalogEngine, alter: (answer: Candidates) => Candidates): CatalogEngine {
  return {
    revision: () => engine.revision(),
    apply: (delta) => engine.apply(delta),
    candidates: async (...asked) => alter(await engine.candidates(...asked)),
    scope: (rule, most) => engine.scope(rule, most),
    tend: () => engine.tend(),
    close: () => engine.close(),
  }
}

describe('a search on an engine', () => {
  it('ranks a part of a catalog by words as an index of the whole, given its statistics', async () => {
    await fc.assert(
      fc.asyncProperty(catalog, words, async (tools, query) => {
        const request = { queries: [query.join(' ')], maxResults: 100 }
        const whole = new Bm25Provider()
        whole.apply({ added: tools, changed: [], removed: [] })
        const { hits } = await whole.search(request)
        const found = new Set(hits.map(({ id }) => id))
        const engine = altered(await engineOf(tools), (answer) => ({
          ...answer,
          tools: answer.tools.filter(({ id }) => found.has(id)),
          complete: false,
        }))
        const answer = await new EngineSearch(engine).search({ ...request, rule: EVERYTHING })
        expect(answer).toEqual({ hits, answeredBy: 'bm25', revision: 1 })
      }),
      { numRuns: 100 },
    )
  })

  it('ranks by meaning with the spread of the whole catalog', async () => {
    await fc.assert(
      fc.asyncProperty(catalog, words, async (tools, query) => {
        const request = { queries: [query.join(' ')], maxResults: 5 }
        const whole = new HybridProvider([contractEmbedder])
        whole.apply({ added: tools, changed: [], removed: [] })
        // Every tool is a candidate, so that the spread of words is no estimate and that of cosines must agree.
        const engine = altered(await engineOf(tools), (answer) => ({ ...answer, complete: false }))
        const { hits } = await new EngineSearch(engine, { embedder: contractEmbedder }).search({
          ...request,
          rule: EVERYTHING,
        })
        const expected = (await whole.search(request)).hits
        expect(hits.map(({ relevance, score }) => [relevance, score])).toEqual(
          expected.map(({ relevance, score }) => [expect.closeTo(relevance, 2), expect.closeTo(score, 2)]),
        )
      }),
      { numRuns: 60 },
    )
  })

  it('never answers with a tool outside the rule, 10,000 rules and an engine that lies', async () => {
    const servers = ['git', 'mail', 'files', '']
    const tools = Array.from({ length: 12 }, (_, nth) =>
      engineTool(servers[nth % 4] ?? '', `create_${nth}`, 'Create an issue', {
        annotations: { readOnlyHint: nth % 3 === 0, destructiveHint: nth % 5 === 0 },
      }),
    )
    const truth = new Map((await new ToolAnalyser().analyse(tools)).map((one) => [one.id, one]))
    const ids = fc.subarray([...truth.keys()])
    const rules: fc.Arbitrary<ToolRule> = fc.record(
      {
        tenant: fc.constant('t'),
        servers: fc.oneof(fc.constant('all' as const), fc.subarray(servers)),
        only: ids,
        except: ids,
        traits: fc.constantFrom({}, { readOnly: true as const }, { notDestructive: true as const }),
      },
      { requiredKeys: ['tenant', 'servers', 'except'] },
    )
    const unknown = { ...(truth.get('git:create_0') as AnalysedTool), id: 'git:unknown' }
    const lies = fc.record({
      traits: fc.integer({ min: 0, max: 3 }),
      server: fc.constantFrom(...servers),
      isHonest: fc.boolean(),
    })
    const engine = await engineOf(tools)
    let [rulesTried, answered] = [0, 0]
    await fc.assert(
      fc.asyncProperty(rules, fc.infiniteStream(lies), async (rule, stream) => {
        const next = (one: AnalysedTool): AnalysedTool => {
          const { isHonest, traits, server } = stream.next().value as {
            isHonest: boolean
            traits: number
            server: string
          }
          return isHonest ? one : { ...one, traits, server }
        }
        const liar = {
          ...altered(engine, (answer) => answer),
          candidates: async (wanted: Parameters<CatalogEngine['candidates']>[0]) => {
            const { statistics } = await engine.candidates(wanted, EVERYTHING, 99)
            const all = [...truth.values(), unknown]
            return { revision: 1, statistics, complete: true, tools: [...all, ...all].map(next) }
          },
        }
        const known = (id: string) => truth.get(id)
        const { hits } = await new EngineSearch(liar).search({ queries: ['create'], maxResults: 99, rule, known })
        rulesTried++
        answered += hits.length
        const { only, except, traits } = rule
        for (const { id } of hits) {
          const one = truth.get(id)
          expect(one === undefined || except.includes(id) || only?.includes(id) === false).toBe(false)
          expect(rule.servers === 'all' || (one?.server !== '' && rule.servers.includes(one?.server ?? ''))).toBe(true)
          expect(traits?.readOnly === true && ((one?.traits ?? 0) & 1) === 0).toBe(false)
          expect(traits?.notDestructive === true && ((one?.traits ?? 0) & 2) === 0).toBe(false)
        }
        expect(new Set(hits.map(({ id }) => id)).size).toBe(hits.length)
      }),
      { numRuns: 10_000 },
    )
    expect(rulesTried).toBe(10_000)
    expect(answered).toBeGreaterThan(5_000)
  }, 180_000)

  it('answers by words and says so while the embedder fails', async () => {
    const engine = await engineOf([
      engineTool('git', 'create_issue', 'Create an issue'),
      engineTool('git', 'log', 'Log'),
    ])
    const embedder = {
      ...waitingEmbedder(contractEmbedder.id),
      embed: async () => Promise.reject(new Error('out of order')),
    }
    const search = new EngineSearch(engine, { embedder })
    const request = { queries: ['create an issue'], maxResults: 1, rule: EVERYTHING }
    for (const reason of ['toy: out of order', 'toy: it has just failed or was late']) {
      expect(await search.search(request)).toMatchObject({
        answeredBy: 'bm25',
        degraded: { strategy: 'hybrid', reason },
        hits: [{ id: 'git:create_issue' }],
      })
    }
  })

  it('waits for an embedder that takes its time, and names it', async () => {
    const engine = await engineOf([engineTool('git', 'log', 'Shows history'), engineTool('memo', 'write', 'A note')])
    const search = new EngineSearch(engine, { embedder: waitingEmbedder('toy') })
    const answer = await search.search({ queries: ['note'], maxResults: 1, rule: EVERYTHING })
    expect(answer).toMatchObject({ answeredBy: 'hybrid', embedder: 'toy', revision: 1, hits: [{ id: 'memo:write' }] })
  })

  it('explains its hits as the index does: by words, by meaning, and for several queries', async () => {
    const tools = [
      engineTool('git', 'create_issue', 'Create an issue in a repository'),
      engineTool('git', 'log', 'Shows the history of commits'),
      engineTool('weather', 'forecast', 'Will it rain tomorrow'),
    ]
    const whole = new HybridProvider([contractEmbedder])
    whole.apply({ added: tools, changed: [], removed: [] })
    const search = new EngineSearch(await engineOf(tools), { embedder: contractEmbedder })
    const texts: string[] = []
    for (const queries of [['create an issue'], ['history'], ['create an issue', 'issues in a repository', 'rain']]) {
      const request = { queries, maxResults: 5, explain: true }
      const { hits } = await search.search({ ...request, rule: EVERYTHING })
      expect(hits).toEqual((await whole.search(request)).hits)
      texts.push(...hits.map(({ explanation }) => explanation?.text ?? ''))
    }
    expect(texts).toContainEqual(expect.stringMatching(/^means "create an issue"; contains "create" in name/))
  })

  it('explains its hits, and finds nothing for blank queries', async () => {
    const engine = await engineOf([engineTool('git', 'create_issue', 'Create an issue')])
    const search = new EngineSearch(engine)
    const { hits } = await search.search({ queries: ['issue'], maxResults: 1, rule: EVERYTHING, explain: true })
    expect(hits[0]?.explanation?.matches).toEqual([{ word: 'issue', fields: ['name', 'description'] }])
    expect(await search.search({ queries: [' '], maxResults: 1, rule: EVERYTHING })).toMatchObject({ hits: [] })
  })
})
