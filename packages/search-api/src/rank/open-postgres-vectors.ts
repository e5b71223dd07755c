import type { VectorCache } from '@tooldex/search'
import { PostgresVectors } from './postgres-vectors.ts'

/** Vectors in the PostgreSQL database at `url`; `close` ends its connections. */
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
  // A lost idle connection is told here, and would end the process if nobody listened.
  pool.on('error', onProblem)
  const database = { query: (text: string, values: readonly unknown[] = []) => pool.query(text, [...values]) }
  return { vectors: new PostgresVectors(database), close: () => pool.end() }
}
