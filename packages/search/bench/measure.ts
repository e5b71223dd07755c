import type { BenchTool } from './bench-tool.ts'
import { originalId } from './catalog.ts'
import type { Engine } from './engines/engine.ts'
import type { BenchQuery } from './queries.ts'
import { percentile } from './statistics.ts'

/** The figures of one engine at one size. */
export interface Measurement {
  /** From tool objects in memory to the first answer: work that an engine leaves to the first search counts. */
  readonly indexMs: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Resident memory of the process with the tools and the index, after garbage collection. */
  readonly rssMb: number
  /** Resident memory before indexing: the runtime, the engine's code and the tools. */
  readonly toolsMb: number
  /** From a saved index in memory to the first answer; median of a few. */
  readonly loadMs?: number
  /** Median cost of changing one tool; see {@link measureUpdates}. */
  readonly updateMs?: number
  /** Share of the queries whose own tool, or a tenant's copy of it, is among the ten hits. */
  readonly found: number
}

/** The process in which an engine is measured. */
export interface Host {
  /** Milliseconds, with a fraction, from any fixed point. */
  now(): number
  /** Resident memory in MB after collecting garbage. */
  residentMb(): number
  /** Called with each step that begins. */
  report(stage: string): void
}

/** The tools of a run and what is asked about them. */
export interface Workload {
  readonly tools: readonly BenchTool[]
  /** Asked before measuring, so that code is compiled; none of them is measured. */
  readonly warmUp: readonly BenchQuery[]
  readonly measured: readonly BenchQuery[]
}

/** Indexes the tools, asks the queries one at a time and changes some tools. */
export async function measure(engine: Engine, workload: Workload, host: Host): Promise<Measurement> {
  const toolsMb = host.residentMb()
  host.report('indexing')
  const indexMs = await timed(host, async () => {
    await engine.index(workload.tools)
    await engine.search(workload.warmUp[0]?.text ?? 'list files')
  })
  const rssMb = host.residentMb()
  host.report('searching')
  await warmUp(engine, workload.warmUp, host)
  const { times, found } = await askAll(engine, workload.measured, host)
  const loadMs = await measureLoading(engine, host)
  const updateMs = await measureUpdates(engine, workload, host)
  return {
    indexMs,
    p50Ms: percentile(times, 50),
    p99Ms: percentile(times, 99),
    rssMb,
    toolsMb,
    ...(loadMs === undefined ? {} : { loadMs }),
    ...(updateMs === undefined ? {} : { updateMs }),
    found: found / workload.measured.length,
  }
}

/** Slow engines need not answer all of it: after this long, their code is compiled, too. */
const LONGEST_WARM_UP_MS = 5_000

async function warmUp(engine: Engine, queries: readonly BenchQuery[], host: Host): Promise<void> {
  const start = host.now()
  for (const { text } of queries) {
    await engine.search(text)
    if (host.now() - start > LONGEST_WARM_UP_MS) return
  }
}

async function askAll(engine: Engine, queries: readonly BenchQuery[], host: Host) {
  const times: number[] = []
  let found = 0
  for (const { text, about } of queries) {
    const start = host.now()
    const hits = await engine.search(text)
    times.push(host.now() - start)
    if (hits.some((id) => originalId(id) === originalId(about))) found++
  }
  return { times, found }
}

const LOADS = 7

async function measureLoading(engine: Engine, host: Host): Promise<number | undefined> {
  if (engine.save === undefined) return undefined
  host.report('loading a saved index')
  const load = await engine.save()
  const times: number[] = []
  for (let round = 0; round < LOADS; round++) {
    // What the index before has left must not be collected while the next one is measured.
    host.residentMb()
    times.push(await timed(host, async () => void (await load())))
  }
  return percentile(times, 50)
}

const UPDATES = 60
const UPDATES_BEFORE_MEASURING = 10

/**
 * The median cost of changing one tool's description: the time of the update and the next search, less the time of the
 * same search once more. An engine that leaves work to the next search pays for it here.
 */
async function measureUpdates(engine: Engine, workload: Workload, host: Host): Promise<number | undefined> {
  const update = engine.update?.bind(engine)
  if (update === undefined) return undefined
  host.report('updating')
  const costs: number[] = []
  for (let round = 0; round < UPDATES; round++) {
    const query = workload.measured[round % workload.measured.length]?.text ?? ''
    const changed = changedTool(workload.tools, round)
    const withUpdate = await timed(host, async () => {
      await update(changed)
      await engine.search(query)
    })
    const searchOnly = await timed(host, async () => void (await engine.search(query)))
    if (round >= UPDATES_BEFORE_MEASURING) costs.push(Math.max(0, withUpdate - searchOnly))
  }
  return percentile(costs, 50)
}

/** Another tool each round, spread over the catalog, with a description that no tool had before. */
function changedTool(tools: readonly BenchTool[], round: number): BenchTool {
  const tool = tools[Math.floor((round * tools.length) / UPDATES)]
  if (tool === undefined) throw new RangeError('There are no tools to change')
  return { ...tool, description: `${tool.description} Revised wording, edition${round}.` }
}

async function timed(host: Host, work: () => Promise<void>): Promise<number> {
  const start = host.now()
  await work()
  return host.now() - start
}
