import type { VectorCache } from '@tooldex/search'
import type { Client } from 'pg'
import type { CatalogStore } from './catalogs/catalog-store.ts'
import { PostgresCatalogs } from './catalogs/postgres-catalogs.ts'
import type { CatalogEngines } from './options.ts'
import { PostgresVectors } from './rank/postgres-vectors.ts'

/** What the instances of a service share. */
export interface SearchDatabase {
  readonly vectors: VectorCache
  readonly catalogs: CatalogStore
  /** Lets one instance at a time write to the engine of a catalog, by an advisory lock. */
  readonly alone: NonNullable<CatalogEngines['alone']>
  /** Ends its connections. */
  close(): Promise<void>
}

/** Opens the PostgreSQL database at `url` for vectors and catalogs. Connects and makes its tables when they are needed. */
export async function openSearchDatabase(
  url: string,
  onProblem: (error: unknown) => void = () => {},
): Promise<SearchDatabase> {
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
  return {
    vectors: new PostgresVectors(database),
    catalogs: new PostgresCatalogs(database),
    alone: (name, work) => alone(new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 }), name, work),
    close: () => pool.end(),
  }
}

const LOCK = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked'

/** The lock belongs to a connection of its own, so that the database takes it back when its instance dies. */
async function alone(client: Client, name: string, work: (lost: AbortSignal) => Promise<void>): Promise<boolean> {
  const lost = new AbortController()
  const lose = (): void => lost.abort(new Error('the connection that holds the lock of the writer was lost'))
  client.on('error', lose)
  client.on('end', lose)
  try {
    await client.connect()
    const { rows } = await client.query<{ locked: boolean }>(LOCK, [`tooldex search engine ${name}`])
    if (rows[0]?.locked !== true) return false
    await work(lost.signal)
    return true
  } finally {
    await client.end().catch(() => {})
  }
}
