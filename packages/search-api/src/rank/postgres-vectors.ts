import type { VectorCache } from '@tooldex/search'
import { creating, type Database } from '../database.ts'

const CREATE = `
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
  readonly #create: () => Promise<void>

  constructor(database: Database) {
    this.#database = database
    this.#create = creating(database, CREATE)
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
}

function entryOf(hash: unknown, vector: unknown): [string, Int8Array][] {
  if (typeof hash !== 'string' || !(vector instanceof Uint8Array)) return []
  return [[hash, new Int8Array(vector)]]
}
