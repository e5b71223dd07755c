import type { VectorCache } from '@tooldex/search'

/** The part of a PostgreSQL driver that is used; a pool of `pg` has it. */
export interface Database {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>
}

// The lock serialises processes that start at the same moment: `if not exists` alone may fail with a duplicate in a catalog
// of PostgreSQL. Both statements are one transaction.
const CREATE = `
  select pg_advisory_xact_lock(hashtextextended('tooldex search vectors', 0));
  create table if not exists tooldex_search_vectors (
    embedder text not null,
    hash text not null,
    vector bytea not null,
    primary key (embedder, hash)
  )`
const LOAD = 'select hash, vector from tooldex_search_vectors where embedder = $1 and hash = any($2::text[])'
const SAVE = `
  insert into tooldex_search_vectors (embedder, hash, vector)
  select $1, hash, vector from unnest($2::text[], $3::bytea[]) as new (hash, vector)
  on conflict (embedder, hash) do nothing`

/** Keeps vectors in a table that all processes of a service share. */
export class PostgresVectors implements VectorCache {
  readonly #database: Database
  #created: Promise<unknown> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  async load(embedderId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Int8Array>> {
    await this.#create()
    const { rows } = await this.#database.query(LOAD, [embedderId, hashes])
    return new Map(rows.flatMap(({ hash, vector }) => entryOf(hash, vector)))
  }

  async save(embedderId: string, vectors: ReadonlyMap<string, Int8Array>): Promise<void> {
    await this.#create()
    // Sorted, so that two processes that save the same vectors cannot deadlock.
    const entries = [...vectors].toSorted(([one], [other]) => (one < other ? -1 : 1))
    const bytes = entries.map(([, { buffer, byteOffset, byteLength }]) => Buffer.from(buffer, byteOffset, byteLength))
    await this.#database.query(SAVE, [embedderId, entries.map(([hash]) => hash), bytes])
  }

  /** Creates the table when it is first needed, and retries after a failure. */
  async #create(): Promise<void> {
    this.#created ??= this.#database.query(CREATE).catch((error: unknown) => {
      this.#created = undefined
      throw error
    })
    await this.#created
  }
}

/** Opens the PostgreSQL database at `url` for vectors; `close` ends its connections. */
export async function openPostgresVectors(
  url: string,
  onProblem: (error: unknown) => void = () => {},
): Promise<{ readonly vectors: VectorCache; close(): Promise<void> }> {
  // Loaded only where a database is configured.
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: 2_000,
    query_timeout: 5_000,
  })
  // Without a listener, the error of a lost idle connection would end the process.
  pool.on('error', onProblem)
  const database = { query: (text: string, values: readonly unknown[] = []) => pool.query(text, [...values]) }
  return { vectors: new PostgresVectors(database), close: () => pool.end() }
}

function entryOf(hash: unknown, vector: unknown): [string, Int8Array][] {
  if (typeof hash !== 'string' || !(vector instanceof Uint8Array)) return []
  return [[hash, new Int8Array(vector)]]
}
