import { ToolSearchError } from '@tooldex/search'
import type { PoolClient, QueryResultRow } from 'pg'

/** One connection in a transaction. What goes wrong in the database is a SEARCH_UNAVAILABLE with the cause inside. */
export class Session {
  readonly #client: Pick<PoolClient, 'query'>

  constructor(client: Pick<PoolClient, 'query'>) {
    this.#client = client
  }

  /** Runs one statement and returns its rows. */
  async rows<Row extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      // The driver takes a mutable array; an empty list selects the protocol that allows several statements.
      const result =
        values.length === 0 ? await this.#client.query<Row>(text) : await this.#client.query<Row>(text, [...values])
      return result.rows
    } catch (cause) {
      throw databaseFailed(cause)
    }
  }
}

/** Runs work on one connection in one transaction. */
export interface Transactions {
  /** Everything is seen as it is at one moment. */
  read<T>(work: (session: Session) => Promise<T>): Promise<T>
  /** Kept when `work` resolves, undone when it rejects. */
  write<T>(work: (session: Session) => Promise<T>): Promise<T>
}

/** Never quotes the database's words: they may repeat what was stored. */
export function databaseFailed(cause: unknown): ToolSearchError {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : 'unknown'
  const reason = `the database of the index cannot be used now (${code})`
  return new ToolSearchError('SEARCH_UNAVAILABLE', { strategy: 'postgres', databaseCode: code, reason }, { cause })
}
