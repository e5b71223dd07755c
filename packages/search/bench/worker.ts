// The process that measures one engine at one size. Started by run-worker.ts, which sends the job and hears the outcome.

import { loadTools } from './catalog.ts'
import type { EngineName } from './engines/engine.ts'
import { openEngine } from './engines/engine.ts'
import type { Host, Measurement } from './measure.ts'
import { measure } from './measure.ts'
import { makeQueries } from './queries.ts'

/** One engine at one size. */
export interface Job {
  readonly engine: EngineName
  readonly size: number
  readonly queries: number
  readonly tools?: string
}

/** A message of a worker: the step that begins, and finally the outcome. */
export type WorkerMessage =
  | { readonly kind: 'stage'; readonly stage: string }
  | { readonly kind: 'measured'; readonly measurement: Measurement }
  | { readonly kind: 'failed'; readonly reason: string }

const WARM_UP_QUERIES = 1_000

async function run(job: Job): Promise<Measurement> {
  host.report('loading tools')
  const tools = loadTools(job.tools, job.size)
  const queries = makeQueries(tools, WARM_UP_QUERIES + job.queries)
  const engine = await openEngine(job.engine)
  const workload = { tools, warmUp: queries.slice(0, WARM_UP_QUERIES), measured: queries.slice(WARM_UP_QUERIES) }
  return measure(engine, workload, host)
}

const host: Host = {
  now: () => performance.now(),
  residentMb: () => {
    collectGarbage()
    return process.memoryUsage.rss() / 1024 / 1024
  },
  report: (stage) => tell({ kind: 'stage', stage }),
}

function collectGarbage(): void {
  if (globalThis.gc === undefined) throw new Error('Start the worker with --expose-gc')
  // 'last-resort' also hands free pages back, so that resident memory does not depend on how the garbage was spread.
  globalThis.gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

function tell(message: WorkerMessage): void {
  process.send?.(message)
}

process.once('disconnect', () => process.exit())
process.once('message', (job: Job) => {
  run(job)
    .then((measurement) => tell({ kind: 'measured', measurement }))
    .catch((error: unknown) => tell({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }))
    .finally(() => process.disconnect())
})
