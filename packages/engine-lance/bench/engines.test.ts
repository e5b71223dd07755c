import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadStaticEmbedder } from '@tooldex/embeddings'
import { HybridProvider, type IndexedTool } from '@tooldex/search'
import {
  type AnalysedTool,
  type CatalogEngine,
  EngineSearch,
  MemoryEngine,
  ToolAnalyser,
  type ToolRule,
} from '@tooldex/search/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLanceEngine } from '../src/index.ts'
import { loadCatalog } from './catalog.ts'
import { measureEngine } from './figures.ts'

/** The measurement of `npm run bench:engine` at a small size, without its times. */
describe('engines beside the index that holds everything', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tooldex-same-'))
  const embedder = loadStaticEmbedder()
  const { tools, queries } = loadCatalog([], 1_500)
  const rule: ToolRule = { tenant: 'all', servers: 'all', except: [] }
  const narrow: ToolRule = {
    ...rule,
    servers: [...new Set(tools.flatMap(({ namespace }) => namespace ?? []))].slice(0, 20),
  }
  const [truth, narrowTruth]: [string[][], string[][]] = [[], []]

  beforeAll(async () => {
    const provider = new HybridProvider([embedder])
    provider.apply({ added: tools, changed: [], removed: [] })
    for (const { query } of queries) {
      const request = { queries: [query], maxResults: 10 }
      truth.push((await provider.search(request)).hits.map(({ id }) => id))
      const within = ({ namespace = '' }: IndexedTool): boolean => narrow.servers.includes(namespace)
      narrowTruth.push((await provider.search({ ...request, within })).hits.map(({ id }) => id))
    }
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const measured = async (engine: CatalogEngine) => {
    await engine.apply({ from: 0, to: 1, put: await new ToolAnalyser(embedder).analyse(tools), remove: [] })
    await engine.tend()
    let latest: readonly AnalysedTool[] = []
    const recorded: CatalogEngine = Object.assign(Object.create(engine) as CatalogEngine, {
      candidates: async (...asked: Parameters<CatalogEngine['candidates']>) => {
        const answer = await engine.candidates(...asked)
        latest = answer.tools
        return answer
      },
    })
    const search = new EngineSearch(recorded, { embedder, candidates: 200 })
    const [found, candidates, candidatesByTenant]: [string[][], string[][], string[][]] = [[], [], []]
    for (const { query } of queries) {
      const { hits } = await search.search({ queries: [query], maxResults: 10, rule })
      found.push(hits.map(({ id }) => id))
      candidates.push(latest.map(({ id }) => id))
      await search.search({ queries: [query], maxResults: 10, rule: narrow })
      candidatesByTenant.push(latest.map(({ id }) => id))
    }
    await engine.close()
    const times = { times: [], tenantTimes: [], candidateTimes: [], firstSearchMs: 0, rssMb: 0, searchCpuMs: 0 }
    const answers = { found, foundByTenant: [], candidates, candidatesByTenant, searchesPerSecond: 0, ...times }
    const filled = { tools: tools.length, ms: 1, cpuMs: 1 }
    const index = { found: truth, foundByTenant: narrowTruth, times: [] }
    return measureEngine(queries, { ...answers, ...filled }, index)
  }

  it.each([
    ['memory', async () => new MemoryEngine()],
    ['LanceDB', () => openLanceEngine({ at: join(folder, 'lance'), role: 'writer', catalog: 'same', model: embedder })],
  ] as const)(
    '[U21] finds the same with %s, within one per cent of NDCG',
    async (_, open) => {
      const { ndcgRatio, recall, tenantRecall } = await measured(await open())
      expect(ndcgRatio).toBeGreaterThanOrEqual(0.99)
      expect(recall).toBeGreaterThanOrEqual(0.97)
      expect(tenantRecall).toBeGreaterThanOrEqual(0.97)
    },
    60_000,
  )
})
