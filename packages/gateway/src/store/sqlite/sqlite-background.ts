import { Worker } from 'node:worker_threads'
import { ownProgram } from '../../package-files.ts'
import type { ConnectionSetup, StatementAnswer } from './sqlite-connections.ts'

/** How long the thread lives without work, and what it may take. */
export interface BackgroundLimits {
  readonly idleMs?: number
  readonly memoryMb?: number
}

/** Long enough that a gateway in use keeps its thread, whatever the pauses between calls. */
const IDLE_MS = 60_000
/** No answer comes near it. */
const MEMORY_MB = 512

/**
 * Connections in a thread of its own. It takes some 15 MB, so it is started with the first statement and ended when there
 * was none for a while. One that broke down is followed by another.
 */
export class SqliteBackground {
  readonly #setup: ConnectionSetup
  readonly #limits: Required<BackgroundLimits>
  /** In whose life the transaction of a connection began. It must not go on in another's, where there is none. */
  readonly #begunIn = new Map<string, SqliteThread>()
  #life: SqliteThread | undefined
  #isClosed = false
  #idle: NodeJS.Timeout | undefined

  constructor(setup: ConnectionSetup, { idleMs = IDLE_MS, memoryMb = MEMORY_MB }: BackgroundLimits = {}) {
    this.#setup = setup
    this.#limits = { idleMs, memoryMb }
  }

  /** Whether there is a thread now. */
  get isRunning(): boolean {
    return this.#life?.isOver === false
  }

  /** Whether it answers without having to be started first. */
  get isReady(): boolean {
    return this.#life?.isReady === true
  }

  /** Starts the thread for whoever asks next. */
  warmUp(): void {
    if (this.#isClosed || this.isRunning) return
    this.#living()
      .ask({ kind: 'open' })
      .catch(() => {})
    this.#restLater()
  }

  /** Runs one statement. */
  async run(connection: string, sql: string, parameters: readonly unknown[]): Promise<StatementAnswer> {
    if (this.#isClosed) throw new ThreadEnded('The database is closed')
    clearTimeout(this.#idle)
    const begunIn = this.#begunIn.get(connection)
    if (sql === 'commit' || sql === 'rollback') this.#begunIn.delete(connection)
    // SQLite has undone it.
    if (sql === 'rollback' && begunIn?.isOver === true) return { rows: [] }
    const life = begunIn ?? this.#living()
    try {
      const answer = await life.ask({ kind: 'run', connection, sql, parameters })
      if (sql.startsWith('begin')) this.#begunIn.set(connection, life)
      return answer
    } finally {
      if (!this.#isClosed) this.#restLater()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#rest()
  }

  #living(): SqliteThread {
    if (this.#life === undefined || this.#life.isOver) this.#life = new SqliteThread(this.#setup, this.#limits.memoryMb)
    return this.#life
  }

  #restLater(): void {
    clearTimeout(this.#idle)
    const restIfFree = (): void => {
      if (this.#begunIn.size > 0) this.#restLater()
      else void this.#rest().catch(() => {})
    }
    this.#idle = setTimeout(restIfFree, this.#limits.idleMs).unref()
  }

  async #rest(): Promise<void> {
    clearTimeout(this.#idle)
    const life = this.#life
    this.#life = undefined
    await life?.close()
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

/** The thread broke down. What was committed is in the file; what had begun is undone by SQLite. */
export class ThreadFailed extends Error {
  override readonly name = 'ThreadFailed'
}

const THREAD = ownProgram('store/sqlite/sqlite-thread')

/** A thread from its start to its end. Asking it keeps the process alive until it has answered. */
class SqliteThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #hasAnswered = false
  #end: Error | undefined

  /** @param memoryMb An answer that would be larger ends the thread rather than the whole program. */
  constructor(setup: ConnectionSetup, memoryMb: number) {
    // Flags of the main program, such as those of a test runner, are not the thread's.
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb }
    this.#worker = new Worker(THREAD, { workerData: setup, execArgv: [], resourceLimits })
    this.#worker.unref()
    this.#worker.on('message', (answer: ThreadAnswer) => this.#take(answer))
    this.#worker.on('error', (cause) => this.#giveUp(new ThreadFailed('The thread of the database failed', { cause })))
    this.#worker.on('exit', () => this.#giveUp(new ThreadEnded('The database is closed')))
  }

  /** Whether it has answered before, and can again. */
  get isReady(): boolean {
    return this.#hasAnswered && !this.isOver
  }

  /** Whether it was closed or broke down. */
  get isOver(): boolean {
    return this.#end !== undefined
  }

  /** @throws ThreadEnded, ThreadFailed, or what SQLite says */
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

/** What the thread is asked. */
export type ThreadRequest = { readonly id: number } & (
  | { readonly kind: 'open' | 'close' }
  | { readonly kind: 'run'; readonly connection: string; readonly sql: string; readonly parameters: readonly unknown[] }
)

/** What it answers. */
export interface ThreadAnswer extends StatementAnswer {
  readonly id: number
  readonly error?: {
    readonly code?: string | undefined
    readonly errcode?: number | undefined
    readonly message: string
  }
}
