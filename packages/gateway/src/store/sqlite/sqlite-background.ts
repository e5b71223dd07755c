import type { ConnectionSetup, StatementAnswer } from './sqlite-connections.ts'
import { ThreadEnded, ThreadLife } from './thread-life.ts'

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
  readonly #begunIn = new Map<string, ThreadLife>()
  #life: ThreadLife | undefined
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

  #living(): ThreadLife {
    if (this.#life === undefined || this.#life.isOver) this.#life = new ThreadLife(this.#setup, this.#limits.memoryMb)
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
