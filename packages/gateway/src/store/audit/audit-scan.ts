import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import type { AuditFilter } from '../../audit/audit-repository.ts'
import type { Sql } from '../flavour.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { AuditRow } from '../tables.ts'
import { all, type ColumnCondition, type Condition, conditionsOf } from './audit-conditions.ts'

/** The place of an entry in time. */
export interface AuditPosition {
  readonly at: number
  readonly id: number
}

/** In which order, from where, and how many at a time. */
export interface ScanOptions {
  readonly newestFirst: boolean
  readonly after?: AuditPosition
  readonly portion: number
}

/** What one index answers, and what its entries must be asked besides. */
interface Plan {
  readonly driving: Condition
  readonly others: readonly ColumnCondition[]
}

const FIRST_WINDOW = 1_000
const LARGEST_WINDOW = 8_000
/** Conditions with more entries than this count as equally wide. */
const MOST_COUNTED = 1_000

/**
 * Finds entries in portions. Where one index does not answer the whole filter, it looks through a window of entries at a
 * time: no query keeps the program busy for long, however little it finds.
 */
export async function* scanAudit(
  database: SqlDatabase,
  filter: AuditFilter,
  options: ScanOptions,
): AsyncGenerator<readonly Selectable<AuditRow>[]> {
  const plan = await database.scan((db) => planOf(db, filter))
  let after = options.after
  let window = plan.others.length === 0 ? options.portion : FIRST_WINDOW
  for (;;) {
    const found = await database.scan((db) => look(db, plan, { ...options, window, ...(after && { after }) }))
    yield found.rows
    if (found.next === undefined) return
    after = found.next
    if (plan.others.length > 0) window = Math.min(window * 2, LARGEST_WINDOW)
    await nextTurn()
  }
}

/** Lets the narrowest condition lead. */
async function planOf(db: Sql, filter: AuditFilter): Promise<Plan> {
  const { indexed, others, failures, time } = conditionsOf(filter)
  const always = [...failures, ...time]
  const counts = []
  if (indexed.length > 1) for (const { holds } of indexed) counts.push(await countUpTo(db, all([holds, ...always])))
  const narrowest = Math.max(0, counts.indexOf(Math.min(...counts)))
  const leading = indexed[narrowest] === undefined ? [] : [indexed[narrowest].holds]
  return { driving: all([...leading, ...always]), others: [...indexed.toSpliced(narrowest, 1), ...others] }
}

async function countUpTo(db: Sql, condition: Condition): Promise<number> {
  // In the order of an index, so that no database gathers all of them before it counts a few.
  const some = db
    .selectFrom('audit_entries')
    .select('id')
    .where(condition)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_COUNTED)
  const { count } = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

async function look(
  db: Sql,
  { driving, others }: Plan,
  { newestFirst, after, portion, window }: ScanOptions & { readonly window: number },
): Promise<{ readonly rows: readonly Selectable<AuditRow>[]; readonly next?: AuditPosition | undefined }> {
  const direction = newestFirst ? 'desc' : 'asc'
  const candidates = db
    .selectFrom('audit_entries')
    .where(after === undefined ? driving : all([driving, beyond(after, newestFirst)]))
    .orderBy('at', direction)
    .orderBy('id', direction)
  if (others.length === 0) {
    const rows = await candidates.selectAll().limit(portion).execute()
    return { rows, next: rows.length < portion ? undefined : rows.at(-1) }
  }
  const columns = ['id', 'at', ...new Set(others.map(({ column }) => column))] as const
  const found = db
    .selectFrom(candidates.select(columns).limit(window).as('audit_entries'))
    .select('id')
    // The window has those columns of the table that are asked for.
    .where((eb) => all(others.map(({ holds }) => holds))(eb as unknown as Parameters<Condition>[0]))
    .orderBy('at', direction)
    .orderBy('id', direction)
    .limit(portion)
  const rows = await db
    .selectFrom('audit_entries')
    .selectAll()
    .where('id', 'in', found)
    .orderBy('at', direction)
    .orderBy('id', direction)
    .execute()
  if (rows.length === portion) return { rows, next: rows.at(-1) }
  const next = await candidates
    .select(['at', 'id'])
    .limit(1)
    .offset(window - 1)
    .executeTakeFirst()
  return { rows, next }
}

function beyond({ at, id }: AuditPosition, newestFirst: boolean): Condition {
  return newestFirst
    ? (eb) => eb.and([eb('at', '<=', at), eb.or([eb('at', '<', at), eb('id', '<', id)])])
    : (eb) => eb.and([eb('at', '>=', at), eb.or([eb('at', '>', at), eb('id', '>', id)])])
}
