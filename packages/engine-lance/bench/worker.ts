/** One part of the measurement, in a process of its own: its memory and its start are then nothing else's. */
import { readFileSync } from 'node:fs'
import { loadStaticEmbedder } from '@tooldex/embeddings'
import { HybridProvider, type IndexedTool, ToolScope } from '@tooldex/search'
import {
  allowedByRule,
  type Candidates,
  type CatalogEngine,
  EngineSearch,
  MemoryEngine,
  ToolAnalyser,
  type ToolRule,
  traitsOf,
} from '@tooldex/search/engine'
import { openLanceEngine } from '../src/index.ts'
import { loadCatalog, makeTenants } from './catalog.ts'
import type { Answers, Filled, Part, Questions, Truth } from './parts.ts'

const AT_A_TIME = 4
const TENANTS = 40
const BATCH = 20_000
const EVERYTHING: ToolRule = { tenant: 'all', servers: 'all', except: [] }

const part = JSON.parse(process.argv[2] ?? '{}') as Part
const embedder = loadStaticEmbedder()
const asked = (): Questions => JSON.parse(readFileSync(part.questions, 'utf8')) as Questions

async function fill(engine: CatalogEngine): Promise<Filled> {
  const { tools } = loadCatalog(part.folders, part.size)
  const analyser = new ToolAnalyser(embedder)
  const [started, cpu] = [performance.now(), process.cpuUsage()]
  for (let start = 0; start < tools.length; start += BATCH) {
    const put = await analyser.analyse(tools.slice(start, start + BATCH))
    const revision = start / BATCH
    await engine.apply({ from: revision, to: revision + 1, put, remove: [] })
  }
  await engine.tend()
  const { user, system } = process.cpuUsage(cpu)
  return { tools: tools.length, ms: performance.now() - started, cpuMs: (user + system) / 1_000 }
}

function questions(): Questions {
  const { tools, queries } = loadCatalog(part.folders, part.size)
  return { queries, tenants: makeTenants(tools, TENANTS) }
}

/** The answers of the ordinary index, which holds everything. */
async function index(): Promise<Truth> {
  const { tools } = loadCatalog(part.folders, part.size)
  const { queries, tenants } = asked()
  const scopes = tenants.map((rule) => scopeOf(rule, tools))
  const provider = new HybridProvider([embedder])
  provider.apply({ added: tools, changed: [], removed: [] })
  const [found, foundByTenant, times]: [string[][], string[][], number[]] = [[], [], []]
  for (const [nth, { query }] of queries.entries()) {
    const request = { queries: [query], maxResults: 10 }
    const started = performance.now()
    const { hits } = await provider.search(request)
    times.push(performance.now() - started)
    found.push(hits.map(({ id }) => id))
    const within = scopes[nth % scopes.length] as ToolScope
    foundByTenant.push((await provider.search({ ...request, within })).hits.map(({ id }) => id))
  }
  return { found, foundByTenant, times }
}

function scopeOf(rule: ToolRule, tools: readonly IndexedTool[]): ToolScope {
  const isAllowed = allowedByRule(rule)
  const allowed = tools.filter((tool) =>
    isAllowed({ id: tool.id, server: tool.namespace ?? '', traits: traitsOf(tool) }),
  )
  return new ToolScope(allowed.map(({ id }) => id))
}

/** The engine, and the candidates of its last answer. */
class RecordingEngine {
  latest: Candidates | undefined
  readonly times: number[] = []
  readonly engine: CatalogEngine

  constructor(engine: CatalogEngine) {
    this.engine = {
      revision: () => engine.revision(),
      apply: (...given) => engine.apply(...given),
      candidates: async (...given) => {
        const started = performance.now()
        this.latest = await engine.candidates(...given)
        this.times.push(performance.now() - started)
        return this.latest
      },
      scope: (...given) => engine.scope(...given),
      tend: () => engine.tend(),
      close: () => engine.close(),
    }
  }
}

async function ask(open: () => Promise<CatalogEngine>): Promise<Answers> {
  const { queries, tenants } = asked()
  const started = performance.now()
  const recording = new RecordingEngine(await open())
  const search = new EngineSearch(recording.engine, { embedder })
  const searchFor = async (query: string, rule: ToolRule): Promise<{ ids: string[]; ms: number }> => {
    const begun = performance.now()
    const { hits } = await search.search({ queries: [query], maxResults: 10, rule })
    return { ids: hits.map(({ id }) => id), ms: performance.now() - begun }
  }
  await searchFor(queries[0]?.query ?? '', EVERYTHING)
  const firstSearchMs = performance.now() - started
  const rssMb = process.memoryUsage.rss() / 1e6
  for (const { query } of queries.slice(0, 30)) await searchFor(query, EVERYTHING)
  recording.times.length = 0
  const cpu = process.cpuUsage()
  const [found, candidates, times, tenantTimes]: [string[][], string[][], number[], number[]] = [[], [], [], []]
  for (const { query } of queries) {
    const { ids, ms } = await searchFor(query, EVERYTHING)
    times.push(ms)
    found.push(ids)
    candidates.push(recording.latest?.tools.map(({ id }) => id) ?? [])
  }
  const { user, system } = process.cpuUsage(cpu)
  const candidateTimes = [...recording.times]
  const candidatesByTenant: string[][] = []
  for (const [nth, { query }] of queries.entries()) {
    const { ms } = await searchFor(query, tenants[nth % tenants.length] ?? EVERYTHING)
    tenantTimes.push(ms)
    candidatesByTenant.push(recording.latest?.tools.map(({ id }) => id) ?? [])
  }
  const together = performance.now()
  const waiting = [...queries]
  const searchOn = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await searchFor(next.query, EVERYTHING)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, searchOn))
  const searchesPerSecond = (1_000 * queries.length) / (performance.now() - together)
  await recording.engine.close()
  const cpuMs = (user + system) / 1_000 / queries.length
  const answers = { found, foundByTenant: [], candidates, candidatesByTenant, searchesPerSecond }
  return { ...answers, times, tenantTimes, candidateTimes, firstSearchMs, rssMb, searchCpuMs: cpuMs }
}

const lance = (role: 'writer' | 'reader'): Promise<CatalogEngine> => {
  const model = { id: embedder.id, dimensions: embedder.dimensions }
  return openLanceEngine({ at: part.at, role, catalog: 'bench', model })
}

/** Memory begins from the tools every time. */
async function memory(): Promise<Filled & Answers> {
  let filled: Filled = { tools: 0, ms: 0, cpuMs: 0 }
  const answers = await ask(async () => {
    const engine = new MemoryEngine()
    filled = await fill(engine)
    return engine
  })
  return { ...filled, ...answers }
}

async function build(): Promise<Filled> {
  const engine = await lance('writer')
  const filled = await fill(engine)
  await engine.close()
  return filled
}

const PARTS = { questions, index, memory, build, read: () => ask(() => lance('reader')) }
process.stdout.write(JSON.stringify(await PARTS[part.part]()))
