import { fork } from 'node:child_process'
import { totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Measurement } from './measure.ts'
import type { Job, WorkerMessage } from './worker.ts'

/** A measurement, or why there is none. */
export type Outcome = Measurement | { readonly failed: string }

/** Limits and ears of one worker. */
export interface WorkerOptions {
  readonly timeLimitMs: number
  /** Called with each step that the worker begins. */
  readonly onStage: (stage: string) => void
}

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))

/** Runs a job in a process of its own. Never rejects: a failure there is the outcome. */
export function runWorker(job: Job, { timeLimitMs, onStage }: WorkerOptions): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const worker = fork(WORKER, [], {
    execArgv: ['--conditions=tooldex-source', '--expose-gc', `--max-old-space-size=${heapLimitMb()}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let outcome: Outcome | undefined
  let lastWords = ''
  const timer = setTimeout(() => {
    outcome ??= { failed: `took longer than ${timeLimitMs / 1000} s` }
    worker.kill('SIGKILL')
  }, timeLimitMs)
  worker.stderr?.on('data', (chunk) => {
    lastWords = (lastWords + String(chunk)).slice(-4000)
  })
  worker.on('message', (message: WorkerMessage) => {
    if (message.kind === 'stage') onStage(message.stage)
    else outcome ??= message.kind === 'measured' ? message.measurement : { failed: message.reason }
  })
  worker.on('error', (error) => {
    outcome ??= { failed: error.message }
    resolve(outcome)
  })
  worker.on('close', (code, signal) => {
    clearTimeout(timer)
    resolve(outcome ?? { failed: deathOf(lastWords, signal ?? `exit code ${code}`) })
  })
  worker.send(job, () => {
    // A worker that dies before it reads the job is reported by 'close'.
  })
  return promise
}

/** Leaves room for the rest of the machine, so that an engine that wants too much dies alone. */
function heapLimitMb(): number {
  return Math.floor(Math.min(8192, (totalmem() / 1024 / 1024) * 0.6))
}

function deathOf(stderr: string, how: string): string {
  if (stderr.includes('heap out of memory')) return `out of memory (heap limit ${heapLimitMb()} MB)`
  const error = stderr.split('\n').find((line) => /^\w*Error\b/.test(line))
  return error === undefined ? `ended with ${how}` : `ended with ${how}: ${error}`
}
