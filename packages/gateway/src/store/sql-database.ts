import { setTimeout as delay } from 'node:timers/promises'
import { GatewayError } from '../errors.ts'
import type { SqlDialect, Sql } from './sql-dialect.ts'

/** Connections to one database, and what its errors mean. */
export interface SqlDatabaseOptions {
  readonly dialect: SqlDialect
  /** A file, or an address without user and password. */
  readonly place: string
  /** What it commits is on the disk. */
  readonly durable: Sql
  /** What it commits survives the process, and the machine a moment later. */
  readonly quick: Sql
  /** As quick, for many rows: nobody else waits for it, however long it takes. */
  readonly bulk: Sql
  readonly reader: Sql
  /** As reader, for looking through many rows. */
  readonly scanner: Sql
  readonly classifyError: (error: unknown) => SqlFailure
  /** What to do about damaged data. */
  readonly corruptRemedy: () => string
  /** How long to try while the database is locked or away, where nobody says. */
  readonly retryForMs: number
  /** Closes the connections. */
  readonly close: () => Promise<void> | void
}

/** How a write is made. */
interface WriteOptions {
  /** How long to try while the database is locked or away. */
  readonly retryForMs?: number
  readonly isQuick?: boolean
  /** Many rows at once; quick as well. */
  readonly isBulk?: boolean
}

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 100

/** Transactions that wait, without keeping anybody else waiting, until the database takes them. */
export class SqlDatabase {
  readonly dialect: SqlDialect
  readonly place: string
  readonly #options: SqlDatabaseOptions
  readonly #retryForMs: number

  constructor(options: SqlDatabaseOptions) {
    this.#options = options
    this.dialect = options.dialect
    this.place = options.place
    this.#retryForMs = options.retryForMs
  }

  /**
   * Runs the work in a transaction; what it throws undoes everything.
   * @throws GatewayError STORE_UNAVAILABLE or STORE_CORRUPT
   */
  write<Result>(work: (transaction: Sql) => Promise<Result>, options: WriteOptions = {}): Promise<Result> {
    const { durable, quick, bulk } = this.#options
    const connection = options.isBulk === true ? bulk : options.isQuick === true ? quick : durable
    return this.#insist(options.retryForMs ?? this.#retryForMs, (begun) =>
      connection.transaction().execute((transaction) => {
        begun()
        return work(transaction)
      }),
    )
  }

  /** Reads from one moment's state. */
  read<Result>(work: (snapshot: Sql) => Promise<Result>): Promise<Result> {
    return this.#readFrom(this.#options.reader, work)
  }

  /** The same, where many rows are looked through. */
  scan<Result>(work: (snapshot: Sql) => Promise<Result>): Promise<Result> {
    return this.#readFrom(this.#options.scanner, work)
  }

  async close(): Promise<void> {
    await this.#options.close()
  }

  #readFrom<Result>(connection: Sql, work: (snapshot: Sql) => Promise<Result>): Promise<Result> {
    const transaction = connection.transaction().setIsolationLevel('repeatable read')
    return this.#insist(this.#retryForMs, () => transaction.execute(work))
  }

  /** An attempt that has begun to change something is not made again. */
  async #insist<Result>(retryForMs: number, attempt: (begun: () => void) => Promise<Result>): Promise<Result> {
    const end = performance.now() + retryForMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      let hasBegun = false
      try {
        return await attempt(() => {
          hasBegun = true
        })
      } catch (error) {
        const failure = this.#options.classifyError(error)
        if (failure.kind === 'caller') throw error
        const mayTryAgain = failure.kind === 'transient' && !hasBegun && performance.now() + pauseMs < end
        if (!mayTryAgain) throw this.#failure(failure, error)
      }
      // Not all who wait should come back at once.
      await delay(pauseMs * (0.5 + Math.random()))
    }
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

/** What an error of a database means for who waits: it may pass, it will not by itself, the data is damaged, or it is the asker's. */
export interface SqlFailure {
  readonly kind: 'transient' | 'permanent' | 'corrupt' | 'caller'
  /** A part of a sentence. Never what was asked. */
  readonly reason: string
  readonly remedy?: string
}

/** What nobody waits for: the store was closed. */
export const CLOSED: SqlFailure = { kind: 'permanent', reason: 'it is closed', remedy: 'Start the gateway again.' }

/** An error that is about what was asked, not about the database. */
export const CALLER_ERROR: SqlFailure = { kind: 'caller', reason: '' }

/** Whether a batch comes for the first time: one whose answer was lost is sent again. */
export async function claimBatch(transaction: Sql, batchId: string, now: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('audit_batches')
    .values({ id: batchId, at: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}
