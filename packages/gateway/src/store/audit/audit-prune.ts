import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SqlDatabase } from '../sql-database.ts'
import { all, type Condition } from './audit-conditions.ts'
import type { AuditPosition } from './audit-stretch.ts'

/** Few enough that who calls tools notices nothing. */
const PORTION = 500
/** Batches whose answer was lost are sent again as soon as the database answers. */
const BATCHES_KEPT_MS = 60 * 60 * 1_000

/** Removes entries that are too old or too many, in portions. */
export async function pruneAudit(
  database: SqlDatabase,
  { before, maxEntries, now }: { readonly before?: number; readonly maxEntries?: number; readonly now: number },
): Promise<number> {
  let removed = 0
  if (before !== undefined) removed += await removeAll(database, (eb) => eb('at', '<', before))
  const first = maxEntries === undefined ? undefined : await firstBeyond(database, maxEntries)
  if (first !== undefined) removed += await removeAll(database, upTo(first))
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

async function removeAll(database: SqlDatabase, condition: Condition): Promise<number> {
  for (let removed = 0; ; ) {
    const { numDeletedRows } = await database.write(
      (transaction) =>
        transaction
          .deleteFrom('audit_entries')
          .where('id', 'in', (eb) =>
            eb.selectFrom('audit_entries').select('id').where(condition).orderBy('at').orderBy('id').limit(PORTION),
          )
          .executeTakeFirstOrThrow(),
      { isBulk: true },
    )
    removed += Number(numDeletedRows)
    if (numDeletedRows < PORTION) return removed
    await nextTurn()
  }
}

/** The newest entry that is one too many. Ids that are close enough together need no counting. */
function firstBeyond(database: SqlDatabase, maxEntries: number): Promise<AuditPosition | undefined> {
  return database.scan(async (db) => {
    const ends = await db
      .selectFrom('audit_entries')
      .select(({ fn }) => [fn.min<number | null>('id').as('first'), fn.max<number | null>('id').as('last')])
      .executeTakeFirstOrThrow()
    if ((ends.last ?? 0) - (ends.first ?? 1) < maxEntries) return undefined
    return db
      .selectFrom('audit_entries')
      .select(['at', 'id'])
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .offset(maxEntries)
      .executeTakeFirst()
  })
}

function upTo({ at, id }: AuditPosition): Condition {
  return all([(eb) => eb('at', '<=', at), (eb) => eb.or([eb('at', '<', at), eb('id', '<=', id)])])
}
