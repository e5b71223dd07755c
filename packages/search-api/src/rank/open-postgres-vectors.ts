import type { VectorCache } from '@tooldex/search'
import { type Database, PostgresVectors } from './postgres-vectors.ts'

interface Pool extends Database {
  on(event: 'error', listener: (error: unknown) => void): unknown
  end(): Promise<void>
}

/** The driver, loaded only where a database is configured. */
const DRIVER: string = 'pg'

/** Vectors in the PostgreSQL database at `url`; `close` ends its connections. */
export async function openPostgresVectors(
  url: string,
  onProblem: (error: unknown) => void = () => {},
): Promise<{ readonly vectors: VectorCache; close(): Promise<void> }> {
  const driver = (await import(DRIVER)) as { default: { Pool: new (options: object) => Pool } }
  const pool = new driver.default.Pool({
    connectionString: url,
    max: 4,
    connectionTimeoutMillis: 2_000,
    query_timeout: 5_000,
  })
  // A lost idle connection is told here, and would end the process if nobody listened.
  pool.on('error', onProblem)
  return { vectors: new PostgresVectors(pool), close: () => pool.end() }
}
