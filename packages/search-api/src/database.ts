/** The part of a PostgreSQL driver that is used; a pool of `pg` has it. */
export interface Database {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>
}

// The lock serialises processes that start at the same moment: `if not exists` alone may fail with a duplicate in a catalog
// of PostgreSQL. Both statements are one transaction.
const LOCK = `select pg_advisory_xact_lock(hashtextextended('tooldex search vectors', 0));`

/** A function that creates a table when it is first needed, and retries after a failure. */
export function creating(database: Database, statement: string): () => Promise<void> {
  let created: Promise<unknown> | undefined
  return async () => {
    created ??= database.query(`${LOCK} ${statement}`).catch((error: unknown) => {
      created = undefined
      throw error
    })
    await created
  }
}
