import type { VectorCache } from '@tooldex/search'

/** What is needed of a PostgreSQL driver; a pool of `pg` is one. */
export interface Database {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>
}

// Processes that begin at the same moment make the table one after the other: beside one another, each of several
// catalogs may call it a duplicate, `if not exists` notwithstanding. Both statements are one transaction to PostgreSQL.
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

/** Vectors in a table of their own, shared by all processes of a service. */
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
    // Sorted, so that two processes that save the same vectors do not wait for each other for ever.
    const entries = [...vectors].toSorted(([one], [other]) => (one < other ? -1 : 1))
    const bytes = entries.map(([, { buffer, byteOffset, byteLength }]) => Buffer.from(buffer, byteOffset, byteLength))
    await this.#database.query(SAVE, [embedderId, entries.map(([hash]) => hash), bytes])
  }

  /** Makes the table when it is first needed, and tries again after a failure. */
  async #create(): Promise<void> {
    this.#created ??= this.#database.query(CREATE).catch((error: unknown) => {
      this.#created = undefined
      throw error
    })
    await this.#created
  }
}

function entryOf(hash: unknown, vector: unknown): [string, Int8Array][] {
  if (typeof hash !== 'string' || !(vector instanceof Uint8Array)) return []
  return [[hash, new Int8Array(vector)]]
}
