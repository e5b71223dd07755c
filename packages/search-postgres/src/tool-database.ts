import { ToolSearchError } from '@tooldex/search'
import { CursorSigner, randomCursorKey } from '@tooldex/search/store'
import { Pool, type PoolClient } from 'pg'
import { ChangeFeed } from './change-feed.ts'
import { migrate } from './migrations.ts'
import { type IndexIdentity, PostgresToolIndex, type PostgresToolIndexOptions } from './postgres-tool-index.ts'
import { databaseFailed, Session, type Transactions } from './session.ts'
import { type Tables, tablesOf } from './tables.ts'

/** Which database, and where in it. */
export interface ToolDatabaseOptions {
  /** A URL (`postgres://…`), or a pool that stays yours: it is not closed, and one connection of it is kept to listen. */
  readonly connection: string | Pool
  /** The PostgreSQL schema that holds the tables; created where it is missing. Default `tooldex_search`. */
  readonly schema?: string
}

// Compiling a statement takes longer than any of ours runs.
const BEGIN_READ = 'begin isolation level repeatable read read only; set local jit = off'
const BEGIN_WRITE = 'begin; set local jit = off'

/**
 * Opens a database of tool indexes and creates its tables where they are missing.
 * @throws ToolSearchError SEARCH_UNAVAILABLE when the database cannot be reached, or its tables are newer than this program
 */
export async function openToolDatabase(options: ToolDatabaseOptions): Promise<ToolDatabase> {
  const { connection, schema = 'tooldex_search' } = options
  const isOurs = typeof connection === 'string'
  const pool = isOurs ? new Pool({ connectionString: connection }) : connection
  // An idle connection that breaks is replaced by the next one asked for.
  if (isOurs) pool.on('error', () => undefined)
  const database = new ToolDatabase(pool, tablesOf(schema), isOurs)
  try {
    await database.prepare()
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** A database that holds tool indexes. Any number of processes may have it open. */
export class ToolDatabase implements Transactions {
  readonly #pool: Pool
  readonly #tables: Tables
  readonly #feed: ChangeFeed
  readonly #isPoolOurs: boolean

  /** Use `openToolDatabase`. */
  constructor(pool: Pool, tables: Tables, isPoolOurs: boolean) {
    this.#pool = pool
    this.#tables = tables
    this.#feed = new ChangeFeed(pool, tables.channel)
    this.#isPoolOurs = isPoolOurs
  }

  /** Creates what is missing and begins to hear of changes. */
  async prepare(): Promise<void> {
    await this.write((session) => migrate(session, this.#tables))
    await this.#feed.open()
  }

  /**
   * The index of a name, new and empty where there is none.
   * @throws ToolSearchError INVALID_ARGUMENTS, SEARCH_UNAVAILABLE
   */
  async openIndex(options: PostgresToolIndexOptions = {}): Promise<PostgresToolIndex> {
    const name = options.name ?? 'default'
    if (name.trim() === '' || name.length > 200 || /[\p{Cc}\p{Cs}]/u.test(name)) {
      throw new ToolSearchError('INVALID_ARGUMENTS', { field: 'name', reason: 'name must have 1 to 200 characters' })
    }
    const identity = await this.#identityOf(name)
    const cursors = new CursorSigner(options.cursorKey ?? identity.cursorKey)
    const index = new PostgresToolIndex(
      identity,
      { transactions: this, tables: this.#tables, feed: this.#feed, cursors },
      options,
    )
    await index.prepare()
    return index
  }

  async read<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#transaction(BEGIN_READ, work)
  }

  async write<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#transaction(BEGIN_WRITE, work)
  }

  /** Stops listening, and closes the pool unless it was handed in. */
  async close(): Promise<void> {
    this.#feed.close()
    if (this.#isPoolOurs) await this.#pool.end()
  }

  async #identityOf(name: string): Promise<IndexIdentity> {
    const { indexes } = this.#tables
    return this.write(async (session) => {
      const insert = `insert into ${indexes} (name, cursor_key) values ($1, $2) on conflict do nothing`
      await session.rows(insert, [name, Buffer.from(randomCursorKey())])
      const [row] = await session.rows<{ id: number; cursor_key: Buffer }>(
        `select id, cursor_key from ${indexes} where name = $1`,
        [name],
      )
      if (row === undefined) throw databaseFailed(undefined)
      return { id: row.id, cursorKey: new Uint8Array(row.cursor_key) }
    })
  }

  async #transaction<T>(begin: string, work: (session: Session) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    const session = new Session(client)
    let isBroken = false
    // Without a listener a connection that breaks between two statements would end the process.
    const onError = (): void => {
      isBroken = true
    }
    client.on('error', onError)
    try {
      await session.rows(begin)
      const result = await work(session)
      await session.rows('commit')
      return result
    } catch (error) {
      await session.rows('rollback').catch(onError)
      throw error
    } finally {
      client.removeListener('error', onError)
      client.release(isBroken)
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect()
    } catch (cause) {
      throw databaseFailed(cause)
    }
  }
}
