import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql, type SqlBool } from 'kysely'
import type { AuditLimits } from '../../model/audit.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { Sql } from '../sql-dialect.ts'

/** Rows per transaction, few enough not to delay calls. */
const PORTION = 500
/** Batches whose confirmation was lost are sent again well within this time. */
const BATCHES_KEPT_MS = 60 * 60 * 1_000

/** Removes entries that are too old or too many, and texts of queries that are too old, in small transactions. */
export async function pruneAudit(
  database: SqlDatabase,
  { before, maxEntries, queriesBefore }: AuditLimits,
  now: number,
): Promise<number> {
  let removed = 0
  if (before !== undefined) removed += await removeUpTo(database, await lastBefore(database, before, now))
  if (maxEntries !== undefined) removed += await removeUpTo(database, await lastBeyond(database, maxEntries))
  if (queriesBefore !== undefined) await removeQueries(database, queriesBefore)
  await database.write(
    (transaction) =>
      transaction
        .deleteFrom('audit_batches')
        .where('at', '<', now - BATCHES_KEPT_MS)
        .execute(),
    { isBulk: true },
  )
  return removed
}

/**
 * Removes entries in the order of the chain and moves its start, so that the rest can still be verified. The row of the
 * chain is locked first: two gateways do not remove the same entries.
 */
async function removeUpTo(database: SqlDatabase, lastId: number): Promise<number> {
  for (let removed = 0; ; ) {
    const count = await database.write(
      async (transaction) => {
        await transaction.updateTable('audit_chain').set({ id: 1 }).execute()
        return removePortion(transaction, lastId)
      },
      { isBulk: true },
    )
    removed += count
    if (count < PORTION) return removed
    await nextTurn()
  }
}

async function removePortion(transaction: Sql, lastId: number): Promise<number> {
  const rows = await transaction
    .selectFrom('audit_entries')
    .select(['id', 'seq', 'hash'])
    .where('id', '<=', lastId)
    .orderBy('id')
    .limit(PORTION)
    .execute()
  const last = rows.at(-1)
  if (last === undefined) return 0
  await transaction.deleteFrom('audit_entries').where('id', '<=', last.id).execute()
  if (last.seq !== null && last.hash !== null) {
    await transaction.updateTable('audit_chain').set({ start_seq: last.seq, start_hash: last.hash }).execute()
  }
  return rows.length
}

/**
 * The last entry before the first one that is young enough. Entries have the time of their start, so that an old one may
 * follow a younger one, which keeps it. A time in the future comes from a wrong clock and keeps nothing.
 */
async function lastBefore(database: SqlDatabase, before: number, now: number): Promise<number> {
  return database.scan(async (db) => {
    // The sign keeps the databases from the index by time: in the order of ids, the first rows decide.
    const isYoung = sql<SqlBool>`+at >= ${before} and +at <= ${Math.max(now, before)}`
    const young = await db
      .selectFrom('audit_entries')
      .select('id')
      .where(isYoung)
      .orderBy('id')
      .limit(1)
      .executeTakeFirst()
    if (young !== undefined) return young.id - 1
    const old = await db
      .selectFrom('audit_entries')
      .select('id')
      .where('at', '<', before)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
    return old?.id ?? 0
  })
}

/** The newest entry beyond the limit. If the ids span fewer numbers than the limit, no count is necessary. */
function lastBeyond(database: SqlDatabase, maxEntries: number): Promise<number> {
  return database.scan(async (db) => {
    const ends = await db
      .selectFrom('audit_entries')
      .select(({ fn }) => [fn.min<number | null>('id').as('first'), fn.max<number | null>('id').as('last')])
      .executeTakeFirstOrThrow()
    if ((ends.last ?? 0) - (ends.first ?? 1) < maxEntries) return 0
    const beyond = db.selectFrom('audit_entries').select('id').orderBy('id', 'desc').limit(1).offset(maxEntries)
    return (await beyond.executeTakeFirst())?.id ?? 0
  })
}

async function removeQueries(database: SqlDatabase, before: number): Promise<void> {
  for (;;) {
    const { numUpdatedRows } = await database.write(
      (transaction) =>
        transaction
          .updateTable('audit_entries')
          .set({ queries: null })
          .where('id', 'in', (eb) =>
            eb
              .selectFrom('audit_entries')
              .select('id')
              .where('queries', 'is not', null)
              .where('at', '<', before)
              .orderBy('at')
              .limit(PORTION),
          )
          .executeTakeFirstOrThrow(),
      { isBulk: true },
    )
    if (numUpdatedRows < PORTION) return
    await nextTurn()
  }
}
