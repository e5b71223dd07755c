import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { SqliteFile } from './sqlite-file.ts'

/** A connection. A writer locks the database when its transaction begins. */
export interface NodeSqliteOptions {
  readonly file: SqliteFile
  /** The name of the connection. */
  readonly connection: string
  readonly begin: 'begin' | 'begin immediate'
  /** Serialises transactions. Shared by the connections that write. */
  readonly mutex: Mutex
  /** Syncs a commit to disk before the transaction resolves. */
  readonly afterCommit?: () => Promise<void>
}

/** Kysely over the SQLite that comes with Node. */
export function nodeSqliteDialect(options: NodeSqliteOptions): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new NodeSqliteDriver(options),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class NodeSqliteDriver implements Driver {
  readonly #options: NodeSqliteOptions
  readonly #connection: NodeSqliteConnection
  #release: (() => void) | undefined

  constructor(options: NodeSqliteOptions) {
    this.#options = options
    this.#connection = new NodeSqliteConnection(options)
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    this.#release = await this.#options.mutex.acquire()
    return this.#connection
  }

  beginTransaction(): Promise<void> {
    return this.#run(this.#options.begin)
  }

  async commitTransaction(): Promise<void> {
    await this.#run('commit')
    await this.#options.afterCommit?.()
  }

  rollbackTransaction(): Promise<void> {
    return this.#run('rollback')
  }

  async releaseConnection(): Promise<void> {
    this.#release?.()
  }

  /** The owner of the file closes it. */
  async destroy(): Promise<void> {}

  async #run(sql: string): Promise<void> {
    await this.#options.file.run(this.#options.connection, sql)
  }
}

class NodeSqliteConnection implements DatabaseConnection {
  readonly #options: NodeSqliteOptions

  constructor(options: NodeSqliteOptions) {
    this.#options = options
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { rows, changes } = await this.#options.file.run(this.#options.connection, sql, parameters)
    return { rows: rows as Row[], ...(changes === undefined ? {} : { numAffectedRows: BigInt(changes) }) }
  }

  // oxlint-disable-next-line require-yield -- large results are read in pages
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('Streaming is not supported')
  }
}

/** A fair mutex. */
export class Mutex {
  #last: Promise<void> = Promise.resolve()

  /** Resolves to the function that releases the mutex. */
  async acquire(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return resolve
  }
}
