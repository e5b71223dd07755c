import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AuditFilter, AuditSums } from '../../model/audit.ts'
import type { Sql } from '../sql-dialect.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { all, type Condition, conditionsOf } from './audit-rows.ts'

/** How many entries are looked at in one go. */
const PORTION = 20_000

/** Adds up a stretch of time after the other; steps without entries are left out. */
export async function sumAudit(database: SqlDatabase, filter: AuditFilter, stepMs: number): Promise<AuditSums[]> {
  const { indexed, others, failures, time, isImpossible } = conditionsOf(filter)
  if (isImpossible) return []
  const asked = [...[...indexed, ...others].map(({ holds }) => holds), ...failures]
  const steps = new Map<number, { searches: number; calls: number; errors: number }>()
  for (let from = await nextTime(database, time, 0, 0); from !== undefined; ) {
    const start = from
    const end = await nextTime(database, time, start, PORTION)
    // More entries of one moment than a portion has are one portion.
    const until = end === start ? start + 1 : end
    const stretch: Condition = (eb) =>
      eb.and([eb('at', '>=', start), ...(until === undefined ? [] : [eb('at', '<', until)])])
    const rows = await database.scan((db) => sumStretch(db, all([...asked, ...time, stretch]), stepMs))
    for (const { step, searches, calls, errors } of rows) {
      const sum = steps.get(step) ?? { searches: 0, calls: 0, errors: 0 }
      steps.set(step, { searches: sum.searches + searches, calls: sum.calls + calls, errors: sum.errors + errors })
    }
    from = until === undefined ? undefined : await nextTime(database, time, until, 0)
    await nextTurn()
  }
  return [...steps].toSorted(([one], [other]) => one - other).map(([from, sum]) => ({ from, ...sum }))
}

/** The time of the entry that comes so many after a moment. */
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

function sumStretch(
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
      times(sql`outcome <> 'ok'`).as('errors'),
    ])
    .where(condition)
    .groupBy(step)
    .execute()
}
