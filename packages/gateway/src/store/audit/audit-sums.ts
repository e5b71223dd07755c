import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AuditFilter, AuditSums } from '../../model/audit.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { Sql } from '../sql-dialect.ts'
import { all, type Condition, conditionsOf } from './audit-rows.ts'

/** Entries per query. */
const PORTION = 20_000

/** Sums up entries, one time span after the other; steps without entries are left out. */
export async function sumAudit(database: SqlDatabase, filter: AuditFilter, stepMs: number): Promise<AuditSums[]> {
  const steps = new Map<number, { searches: number; calls: number; errors: number }>()
  await bySpans(database, filter, PORTION, async (db, condition) => {
    for (const { step, searches, calls, errors } of await sumSpan(db, condition, stepMs)) {
      const sum = steps.get(step) ?? { searches: 0, calls: 0, errors: 0 }
      steps.set(step, { searches: sum.searches + searches, calls: sum.calls + calls, errors: sum.errors + errors })
    }
  })
  return [...steps].toSorted(([one], [other]) => one - other).map(([from, sum]) => ({ from, ...sum }))
}

/** Runs a query over one time span after the other, so that none takes long, however many entries there are. */
export async function bySpans(
  database: SqlDatabase,
  filter: AuditFilter,
  portion: number,
  query: (db: Sql, condition: Condition) => Promise<void>,
): Promise<void> {
  const { indexed, others, failures, time, isImpossible } = conditionsOf(filter)
  if (isImpossible) return
  const asked = [...[...indexed, ...others].map(({ holds }) => holds), ...failures]
  for (let from = await nextTime(database, time, 0, 0); from !== undefined; ) {
    const start = from
    const end = await nextTime(database, time, start, portion)
    // All entries of one millisecond are in one query.
    const until = end === start ? start + 1 : end
    const span: Condition = (eb) =>
      eb.and([eb('at', '>=', start), ...(until === undefined ? [] : [eb('at', '<', until)])])
    await database.scan((db) => query(db, all([...asked, ...time, span])))
    from = until === undefined ? undefined : await nextTime(database, time, until, 0)
    await nextTurn()
  }
}

/** The time of the entry that follows a time by `skipped` entries. */
async function nextTime(
  database: SqlDatabase,
  time: readonly Condition[],
  from: number,
  skipped: number,
): Promise<number | undefined> {
  const row = await database.scan((db) =>
    db
      .selectFrom('audit_entries')
      .select('at')
      .where(all([...time, (eb) => eb('at', '>=', from)]))
      .orderBy('at')
      .limit(1)
      .offset(skipped)
      .executeTakeFirst(),
  )
  return row?.at
}

function sumSpan(
  db: Sql,
  condition: Condition,
  stepMs: number,
): Promise<{ step: number; searches: number; calls: number; errors: number }[]> {
  const step = sql<number>`at - (at % ${sql.lit(stepMs)})`
  const times = (what: ReturnType<typeof sql<boolean>>) => sql<number>`count(case when ${what} then 1 end)`
  return db
    .selectFrom('audit_entries')
    .select([
      step.as('step'),
      times(sql`kind = 'search'`).as('searches'),
      times(sql`kind = 'call'`).as('calls'),
      times(sql`outcome <> 'ok' and kind in ('search', 'call')`).as('errors'),
    ])
    .where(condition)
    .groupBy(step)
    .execute()
}
