import { Worker } from 'node:worker_threads'
import { ownProgram } from '../package-files.ts'
import type { Activities } from './activities.ts'
import type { Logger } from './logger.ts'

/** The collaborators of a watchdog. */
interface WatchdogOptions {
  readonly logger: Pick<Logger, 'warn' | 'isLevelEnabled'>
  /** Whether its lines are for people rather than programs. */
  readonly pretty: boolean
  /** Without a request for this long the thread ends, and its 10 MB are free. */
  readonly idleMs?: number
}

/** Shared with the thread. */
export const SHARED = { bytes: 1_040, beat: 0, nameBytes: 1, names: 16 }
/** The event with which the thread interrupts the main thread. */
export const BLOCKED_EVENT = 'tooldex:blocked'
/** How often the main thread shows that it is alive. */
export const BEAT_MS = 250
const IDLE_MS = 300_000
const SLOW_MS = 200
const SIGNALS = ['SIGTERM', 'SIGINT'] as const

type Listener = (...args: unknown[]) => void

/**
 * A thread that notices when the main thread is blocked, writes down what it was doing, and takes the handlers of SIGTERM and
 * SIGINT away: they would never run, and without them the system ends the process. It runs only while clients send requests.
 * A signal that came before is with Node's event loop, where no other thread sees it: it has to be sent again.
 */
export class Watchdog implements Activities {
  readonly #options: WatchdogOptions
  readonly #state = new Int32Array(new SharedArrayBuffer(SHARED.bytes))
  readonly #names = new Uint8Array(this.#state.buffer, SHARED.names)
  readonly #encoder = new TextEncoder()
  readonly #onBlocked = (): void => this.#release()
  #worker: Worker | undefined
  #beating: NodeJS.Timeout | undefined
  #usedAt = 0
  /** Listeners that were taken away, to be put back when the main thread goes on. */
  #released: (readonly [signal: NodeJS.Signals, listener: Listener])[] = []

  constructor(options: WatchdogOptions) {
    this.#options = options
  }

  wake(): void {
    this.#usedAt = performance.now()
    if (this.#worker === undefined) this.#start()
  }

  during<T>(name: string, work: () => T): T {
    const since = performance.now()
    Atomics.store(this.#state, SHARED.nameBytes, this.#encoder.encodeInto(name, this.#names).written)
    try {
      return work()
    } finally {
      Atomics.store(this.#state, SHARED.nameBytes, 0)
      const ms = performance.now() - since
      if (ms > SLOW_MS) this.#options.logger.warn({ activity: name, ms: Math.round(ms) }, 'the event loop was blocked')
    }
  }

  /** Ends the thread. */
  async stop(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    clearInterval(this.#beating)
    process.off(BLOCKED_EVENT, this.#onBlocked)
    this.#restore()
    await worker?.terminate()
  }

  #start(): void {
    const { logger, pretty } = this.#options
    const worker = new Worker(ownProgram('telemetry/watchdog-thread'), {
      workerData: { state: this.#state.buffer, pretty, isSilent: !logger.isLevelEnabled('warn') },
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    })
    worker.unref()
    worker.on('error', (err) => logger.warn({ err }, 'the watchdog thread failed'))
    this.#worker = worker
    process.on(BLOCKED_EVENT, this.#onBlocked)
    this.#beating = setInterval(() => this.#beat(), BEAT_MS).unref()
  }

  #beat(): void {
    Atomics.add(this.#state, SHARED.beat, 1)
    this.#restore()
    if (performance.now() - this.#usedAt > (this.#options.idleMs ?? IDLE_MS)) void this.stop()
  }

  /** Runs on the main thread, in the middle of whatever blocks it. */
  #release(): void {
    for (const signal of SIGNALS) {
      for (const listener of process.rawListeners(signal) as Listener[]) this.#released.push([signal, listener])
      process.removeAllListeners(signal)
    }
  }

  #restore(): void {
    for (const [signal, listener] of this.#released) process.on(signal, listener)
    this.#released = []
  }
}
