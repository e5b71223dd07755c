import { setTimeout as delay } from 'node:timers/promises'
import { GatewayError } from '../errors.ts'
import type { PoolFigures, StoreFigures } from '../model/store.ts'
import type { SqlDialect, Sql } from './sql-dialect.ts'

/** The connections to one database, and the classification of its errors. */
export interface SqlDatabaseOptions {
  readonly dialect: SqlDialect
  /** A file, or an address without user and password. */
  readonly place: string
  /** Commits are on disk when they resolve. */
  readonly durable: Sql
  /** Commits survive the process, and a power loss a moment later. */
  readonly quick: Sql
  /** Like `quick`, for many rows, without blocking the other connections. */
  readonly bulk: Sql
  readonly reader: Sql
  /** Like `reader`, for scans of many rows. */
  readonly scanner: Sql
  readonly classifyError: (error: unknown) => SqlFailure
  /** The remedy for damaged data. */
  readonly corruptRemedy: () => string
  /** How long to retry by default while the database is locked or unavailable. */
  readonly retryForMs: number
  readonly pool?: () => PoolFigures
  /** Closes the connections. */
  readonly close: () => Promise<void> | void
}

/** Options of a write. */
interface WriteOptions {
  /** How long to retry while the database is locked or unavailable. */
  readonly retryForMs?: number
  readonly isQuick?: boolean
  /** Many rows; implies `isQuick`. */
  readonly isBulk?: boolean
}

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 100
const SOON_MS = 1_000
/** Gateways read twice a second: a database that lets them wait for longer does not answer. */
const SILENT_AFTER_MS = 5_000

/** A database whose transactions are retried while it is locked or unavailable, without blocking the process. */
export class SqlDatabase {
  readonly dialect: SqlDialect
  readonly place: string
  readonly #options: SqlDatabaseOptions
  readonly #retryForMs: number
  #hasFailed = false
  #isHeld = false
  #failures = 0
  #answeredAt = performance.now()

  constructor(options: SqlDatabaseOptions) {
    this.#options = options
    this.dialect = options.dialect
    this.place = options.place
    this.#retryForMs = options.retryForMs
  }

  /** Refuses all work until `release`: the database is away, or its tables are not prepared yet. */
  hold(): void {
    this.#isHeld = true
    this.#hasFailed = true
  }

  release(): void {
    this.#isHeld = false
  }

  /** The same database for the work that `hold` waits for. */
  unheld(): SqlDatabase {
    return new SqlDatabase(this.#options)
  }

  /** Whether an error of this database may go away by itself. */
  isTransient(error: unknown): boolean {
    return error instanceof GatewayError && this.#options.classifyError(error.cause).kind === 'transient'
  }

  /**
   * Runs the work in a transaction, which an error rolls back.
   * @throws GatewayError STORE_UNAVAILABLE or STORE_CORRUPT
   */
  write<Result>(work: (transaction: Sql) => Promise<Result>, options: WriteOptions = {}): Promise<Result> {
    const { durable, quick, bulk } = this.#options
    const connection = options.isBulk === true ? bulk : options.isQuick === true ? quick : durable
    return this.#retry(options.retryForMs ?? this.#retryForMs, (begun) =>
      connection.transaction().execute((transaction) => {
        begun()
        return work(transaction)
      }),
    )
  }

  /** Reads from a consistent snapshot. */
  read<Result>(work: (snapshot: Sql) => Promise<Result>): Promise<Result> {
    return this.#readFrom(this.#options.reader, work)
  }

  /** Like `read`, for scans of many rows. */
  scan<Result>(work: (snapshot: Sql) => Promise<Result>): Promise<Result> {
    return this.#readFrom(this.#options.scanner, work)
  }

  /** Waits for an answer no longer than a person would. @throws GatewayError STORE_UNAVAILABLE */
  async soon<Result>(work: () => Promise<Result>): Promise<Result> {
    const answer = work()
    // It may fail when nothing waits for it any more.
    answer.catch(() => {})
    const timeOut = new AbortController()
    const late = delay(SOON_MS, undefined, { signal: timeOut.signal, ref: false }).then(() => {
      const reason = 'it does not answer'
      const remedy = 'Check that it runs and is reachable; the gateway goes on by itself.'
      throw new GatewayError('STORE_UNAVAILABLE', { place: this.place, reason, remedy })
    })
    late.catch(() => {})
    try {
      return await Promise.race([answer, late])
    } finally {
      timeOut.abort()
    }
  }

  /** What is known of the database without asking it. */
  figures(): StoreFigures {
    const isReachable = !this.#hasFailed && performance.now() - this.#answeredAt < SILENT_AFTER_MS
    const pool = this.#options.pool?.()
    return { isReachable, failures: this.#failures, ...(pool !== undefined && { pool }) }
  }

  async close(): Promise<void> {
    await this.#options.close()
  }

  #readFrom<Result>(connection: Sql, work: (snapshot: Sql) => Promise<Result>): Promise<Result> {
    const transaction = connection.transaction().setIsolationLevel('repeatable read')
    return this.#retry(this.#retryForMs, () => transaction.execute(work))
  }

  /** Retries attempts that failed before their transaction began. */
  async #retry<Result>(retryForMs: number, attempt: (begun: () => void) => Promise<Result>): Promise<Result> {
    if (this.#isHeld) throw this.#failure(HELD, undefined)
    const end = performance.now() + retryForMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      let hasBegun = false
      try {
        const result = await attempt(() => {
          hasBegun = true
        })
        this.#noteAnswer()
        return result
      } catch (error) {
        const failure = this.#options.classifyError(error)
        if (failure.kind === 'caller') {
          this.#noteAnswer()
          throw error
        }
        this.#hasFailed = true
        this.#failures += 1
        const mayTryAgain = failure.kind === 'transient' && !hasBegun && performance.now() + pauseMs < end
        if (!mayTryAgain) throw this.#failure(failure, error)
      }
      // Jitter, so that waiting gateways do not retry at the same time.
      await delay(pauseMs * (0.5 + Math.random()))
    }
  }

  #noteAnswer(): void {
    this.#hasFailed = false
    this.#answeredAt = performance.now()
  }

  #failure({ kind, reason, remedy }: SqlFailure, cause: unknown): GatewayError {
    const code = kind === 'corrupt' ? 'STORE_CORRUPT' : 'STORE_UNAVAILABLE'
    const advice = kind === 'corrupt' ? this.#options.corruptRemedy() : remedy
    return new GatewayError(
      code,
      { place: this.place, reason, ...(advice === undefined ? {} : { remedy: advice }) },
      { cause },
    )
  }
}

/** The class of a database error: transient, permanent, damaged data, or an error of the caller. */
export interface SqlFailure {
  readonly kind: 'transient' | 'permanent' | 'corrupt' | 'caller'
  /** Part of a sentence; never has the query. */
  readonly reason: string
  readonly remedy?: string
}

/** The failure of everything that needs the database before it was reached for the first time. */
const HELD: SqlFailure = {
  kind: 'transient',
  reason: 'the gateway started from its last known state and has not reached the database yet',
  remedy: 'Try again when the database answers; the gateway catches up by itself.',
}

/** The failure of a closed store. */
export const CLOSED: SqlFailure = {
  kind: 'permanent',
  reason: 'the store is closed',
  remedy: 'Start the gateway again.',
}

/** The failure of a wrong query or of the code in a transaction. */
export const CALLER_ERROR: SqlFailure = { kind: 'caller', reason: '' }

/** Records a batch. Returns false if it is already stored: the confirmation was lost, and it was sent again. */
export async function claimBatch(transaction: Sql, batchId: string, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('audit_batches')
    .values({ id: batchId, at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}
