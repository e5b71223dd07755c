import { Worker } from 'node:worker_threads'
import { ownProgram } from '../../package-files.ts'
import type { ConnectionSetup, StatementAnswer } from './sqlite-connections.ts'
import type { ThreadAnswer, ThreadRequest } from './thread-messages.ts'

type Ask = ThreadRequest extends infer Request ? (Request extends unknown ? Omit<Request, 'id'> : never) : never

interface Waiting {
  readonly resolve: (answer: ThreadAnswer) => void
  readonly reject: (error: Error) => void
}

/** The thread is no more: it was closed, or it failed. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

const THREAD = ownProgram('store/sqlite/sqlite-thread')
/** Long enough that a gateway in use keeps its thread, whatever the pauses between calls. */
const IDLE_MS = 60_000

/**
 * Connections in a thread of its own. It takes some 15 MB, so it is started with the first statement and ended when there
 * was none for a while. Asking it keeps the process alive until it has answered.
 */
export class SqliteBackground {
  readonly #setup: ConnectionSetup
  readonly #idleMs: number
  #thread: ThreadLink | undefined
  #isClosed = false
  #idle: NodeJS.Timeout | undefined

  constructor(setup: ConnectionSetup, idleMs = IDLE_MS) {
    this.#setup = setup
    this.#idleMs = idleMs
  }

  /** Whether there is a thread now. */
  get isRunning(): boolean {
    return this.#thread !== undefined
  }

  /** Runs one statement. Whoever is in a transaction goes on within the idle time. */
  async run(connection: string, sql: string, parameters: readonly unknown[]): Promise<StatementAnswer> {
    if (this.#isClosed) throw new ThreadEnded('The database is closed')
    this.#thread ??= new ThreadLink(this.#setup)
    const thread = this.#thread
    clearTimeout(this.#idle)
    try {
      return await thread.ask({ kind: 'run', connection, sql, parameters })
    } catch (error) {
      // Whoever asks next gets a new one.
      if (error instanceof ThreadEnded && this.#thread === thread) this.#thread = undefined
      throw error
    } finally {
      if (!this.#isClosed) this.#restLater()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#rest()
  }

  #restLater(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => void this.#rest().catch(() => {}), this.#idleMs).unref()
  }

  async #rest(): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = undefined
    await thread?.close()
  }
}

class ThreadLink {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #end: Error | undefined

  constructor(setup: ConnectionSetup) {
    // Flags of the main program, such as those of a test runner, are not the thread's.
    this.#worker = new Worker(THREAD, { workerData: setup, execArgv: [] })
    this.#worker.unref()
    this.#worker.on('message', (answer: ThreadAnswer) => this.#take(answer))
    this.#worker.on('error', (error) =>
      this.#giveUp(new ThreadEnded('The thread of the database failed', { cause: error })),
    )
    this.#worker.on('exit', () => this.#giveUp(new ThreadEnded('The database is closed')))
  }

  ask(ask: Ask): Promise<ThreadAnswer> {
    if (this.#end !== undefined) return Promise.reject(this.#end)
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>()
    this.#waiting.set(id, { resolve, reject })
    this.#worker.ref()
    this.#worker.postMessage({ ...ask, id })
    return promise
  }

  async close(): Promise<void> {
    if (this.#end === undefined) await this.ask({ kind: 'close' })
    await this.#worker.terminate()
  }

  #take(answer: ThreadAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    this.#waiting.delete(answer.id)
    if (this.#waiting.size === 0) this.#worker.unref()
    if (answer.error === undefined) waiting?.resolve(answer)
    else waiting?.reject(Object.assign(new Error(answer.error.message), answer.error))
  }

  #giveUp(error: Error): void {
    this.#end ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#end)
    this.#waiting.clear()
  }
}
