import { Worker } from 'node:worker_threads'
import { ownProgram } from '../../package-files.ts'
import type { ConnectionSetup, StatementAnswer } from './sqlite-connections.ts'

/** The idle time and the memory limit of the thread. */
export interface BackgroundLimits {
  readonly idleMs?: number
  readonly memoryMb?: number
}

/** Long enough that a gateway in use keeps its thread between calls. */
const IDLE_MS = 60_000
/** Far more than any answer needs. */
const MEMORY_MB = 512

/**
 * Connections in a worker thread. The thread takes some 15 MB, so it starts with the first statement and ends when idle. A
 * thread that crashed is replaced.
 */
export class SqliteBackground {
  readonly #setup: ConnectionSetup
  readonly #limits: Required<BackgroundLimits>
  /** The thread in which the transaction of a connection began. It must not continue in another thread. */
  readonly #begunIn = new Map<string, SqliteThread>()
  #thread: SqliteThread | undefined
  #isClosed = false
  #idle: NodeJS.Timeout | undefined

  constructor(setup: ConnectionSetup, { idleMs = IDLE_MS, memoryMb = MEMORY_MB }: BackgroundLimits = {}) {
    this.#setup = setup
    this.#limits = { idleMs, memoryMb }
  }

  /** Whether the thread runs. */
  get isRunning(): boolean {
    return this.#thread?.isOver === false
  }

  /** Whether the thread runs and has answered before. */
  get isReady(): boolean {
    return this.#thread?.isReady === true
  }

  /** Starts the thread ahead of the next statement. */
  warmUp(): void {
    if (this.#isClosed || this.isRunning) return
    this.#running()
      .ask({ kind: 'open' })
      .catch(() => {})
    this.#endLater()
  }

  /** Runs one statement. */
  async run(connection: string, sql: string, parameters: readonly unknown[]): Promise<StatementAnswer> {
    if (this.#isClosed) throw new ThreadEnded('The database is closed')
    clearTimeout(this.#idle)
    const begunIn = this.#begunIn.get(connection)
    if (sql === 'commit' || sql === 'rollback') this.#begunIn.delete(connection)
    // The end of the thread has rolled it back.
    if (sql === 'rollback' && begunIn?.isOver === true) return { rows: [] }
    const thread = begunIn ?? this.#running()
    try {
      const answer = await thread.ask({ kind: 'run', connection, sql, parameters })
      if (sql.startsWith('begin')) this.#begunIn.set(connection, thread)
      return answer
    } finally {
      if (!this.#isClosed) this.#endLater()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#endThread()
  }

  #running(): SqliteThread {
    if (this.#thread === undefined || this.#thread.isOver)
      this.#thread = new SqliteThread(this.#setup, this.#limits.memoryMb)
    return this.#thread
  }

  #endLater(): void {
    clearTimeout(this.#idle)
    const endIfIdle = (): void => {
      if (this.#begunIn.size > 0) this.#endLater()
      else void this.#endThread().catch(() => {})
    }
    this.#idle = setTimeout(endIfIdle, this.#limits.idleMs).unref()
  }

  async #endThread(): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    this.#thread = undefined
    await thread?.close()
  }
}

type Ask = ThreadRequest extends infer Request ? (Request extends unknown ? Omit<Request, 'id'> : never) : never

interface Waiting {
  readonly resolve: (answer: ThreadAnswer) => void
  readonly reject: (error: Error) => void
}

/** The thread was closed. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

/** The thread crashed. SQLite rolls open transactions back; committed ones are in the file. */
export class ThreadFailed extends Error {
  override readonly name = 'ThreadFailed'
}

const THREAD = ownProgram('store/sqlite/sqlite-thread')
/** Node 22 warns that its SQLite is experimental, which a user of the gateway cannot act on. */
const QUIET = ['--disable-warning=ExperimentalWarning']

/** A handle of one worker thread. A pending request keeps the process alive. */
class SqliteThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #hasAnswered = false
  #end: Error | undefined

  /** @param memoryMb a larger answer ends the thread instead of the whole process */
  constructor(setup: ConnectionSetup, memoryMb: number) {
    // The thread must not inherit flags of the process, such as those of a test runner.
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb }
    this.#worker = new Worker(THREAD, { workerData: setup, execArgv: QUIET, resourceLimits })
    this.#worker.unref()
    this.#worker.on('message', (answer: ThreadAnswer) => this.#take(answer))
    this.#worker.on('error', (cause) => this.#giveUp(new ThreadFailed('The database thread failed', { cause })))
    this.#worker.on('exit', () => this.#giveUp(new ThreadEnded('The database is closed')))
  }

  /** Whether it runs and has answered before. */
  get isReady(): boolean {
    return this.#hasAnswered && !this.isOver
  }

  /** Whether it was closed or crashed. */
  get isOver(): boolean {
    return this.#end !== undefined
  }

  /** @throws ThreadEnded, ThreadFailed, or an error of SQLite */
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
    this.#hasAnswered = true
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

/** A request to the thread. */
export type ThreadRequest = { readonly id: number } & (
  | { readonly kind: 'open' | 'close' }
  | { readonly kind: 'run'; readonly connection: string; readonly sql: string; readonly parameters: readonly unknown[] }
)

/** An answer of the thread. */
export interface ThreadAnswer extends StatementAnswer {
  readonly id: number
  readonly error?: {
    readonly code?: string | undefined
    readonly errcode?: number | undefined
    readonly message: string
  }
}
