import { setTimeout as delay } from 'node:timers/promises'
import { GatewayError } from '../errors.ts'
import type { Flavour, Sql } from './flavour.ts'
import type { Trouble } from './trouble.ts'

/** Connections to one database, and what its errors mean. */
export interface SqlDatabaseOptions {
  readonly flavour: Flavour
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
  readonly troubleOf: (error: unknown) => Trouble
  /** What to do about damaged data. */
  readonly corruptRemedy: () => string
  /** How long to try while the database is locked or away, where nobody says. */
  readonly patienceMs: number
  /** Closes the connections. */
  readonly close: () => Promise<void> | void
}

/** How a write is made. */
export interface WriteOptions {
  /** How long to try while the database is locked or away. */
  readonly patienceMs?: number
  readonly isQuick?: boolean
  /** Many rows at once; quick as well. */
  readonly isBulk?: boolean
}

const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 100

/** Transactions that wait, without keeping anybody else waiting, until the database takes them. */
export class SqlDatabase {
  readonly flavour: Flavour
  readonly place: string
  readonly #options: SqlDatabaseOptions
  readonly #patienceMs: number

  constructor(options: SqlDatabaseOptions) {
    this.#options = options
    this.flavour = options.flavour
    this.place = options.place
    this.#patienceMs = options.patienceMs
  }

  /**
   * Runs the work in a transaction; what it throws undoes everything.
   * @throws GatewayError STORE_UNAVAILABLE or STORE_CORRUPT
   */
  write<Result>(work: (transaction: Sql) => Promise<Result>, options: WriteOptions = {}): Promise<Result> {
    const { durable, quick, bulk } = this.#options
    const connection = options.isBulk === true ? bulk : options.isQuick === true ? quick : durable
    return this.#insist(options.patienceMs ?? this.#patienceMs, (begun) =>
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
    return this.#insist(this.#patienceMs, () => transaction.execute(work))
  }

  /** An attempt that has begun to change something is not made again. */
  async #insist<Result>(patienceMs: number, attempt: (begun: () => void) => Promise<Result>): Promise<Result> {
    const end = performance.now() + patienceMs
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      let hasBegun = false
      try {
        return await attempt(() => {
          hasBegun = true
        })
      } catch (error) {
        const trouble = this.#options.troubleOf(error)
        if (trouble.kind === 'askers') throw error
        const mayTryAgain = trouble.kind === 'passing' && !hasBegun && performance.now() + pauseMs < end
        if (!mayTryAgain) throw this.#failure(trouble, error)
      }
      // Not all who wait should come back at once.
      await delay(pauseMs * (0.5 + Math.random()))
    }
  }

  #failure({ kind, reason, remedy }: Trouble, cause: unknown): GatewayError {
    const code = kind === 'corrupt' ? 'STORE_CORRUPT' : 'STORE_UNAVAILABLE'
    const advice = kind === 'corrupt' ? this.#options.corruptRemedy() : remedy
    return new GatewayError(
      code,
      { place: this.place, reason, ...(advice === undefined ? {} : { remedy: advice }) },
      { cause },
    )
  }
}
