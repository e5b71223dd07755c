import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Selectable, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { AuditFilter } from '../../model/audit.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { Sql } from '../sql-dialect.ts'
import type { AuditRow, Tables } from '../tables.ts'
import { all, type AuditConditions, type ColumnCondition, type Condition, conditionsOf } from './audit-rows.ts'

/** Order, start and page size of a scan. */
interface ScanOptions {
  readonly newestFirst: boolean
  readonly after?: AuditPosition
  readonly portion: number
}

/** The result of one query of a scan. */
interface ScanResult {
  readonly rows: readonly Selectable<AuditRow>[]
  /** The start of the next query; absent at the end. */
  readonly next?: AuditPosition | undefined
}

/** The range of one index, and the conditions to check on its entries. */
interface Plan extends IndexRange {
  readonly failures: readonly Condition[]
  readonly others: readonly ColumnCondition[]
}

const SMALLEST_WINDOW = 500
const LARGEST_WINDOW = 8_000
/** The window grows after a faster query, and shrinks after one that takes twice as long. */
const QUICK_MS = 4
/** The sample size for finding the most selective condition. */
const SAMPLE = 1_000

/**
 * Finds entries page by page. If no index covers the whole filter, each query scans a window of entries: no query takes
 * long, however few entries match, and the caller may stop after any of them.
 */
export async function* scanAudit(
  database: SqlDatabase,
  filter: AuditFilter,
  options: ScanOptions,
): AsyncGenerator<ScanResult> {
  const conditions = conditionsOf(filter)
  if (conditions.isImpossible) return
  const plan = await database.scan((db) => planOf(db, conditions, filter, options))
  let after = options.after
  let window = plan.others.length === 0 ? options.portion : SMALLEST_WINDOW
  for (;;) {
    const begun = performance.now()
    const found = await database.scan((db) => queryWindow(db, plan, { ...options, window, ...(after && { after }) }))
    if (plan.others.length > 0) window = nextWindow(window, performance.now() - begun)
    yield found
    if (found.next === undefined) return
    after = found.next
    await nextTurn()
  }
}

/** All entries in the order of their ids, which is the order of the chain. */
export async function* scanInOrder(database: SqlDatabase, portion: number): AsyncGenerator<ScanResult> {
  for (let after = 0; ; ) {
    const rows = await database.scan((db) =>
      db.selectFrom('audit_entries').selectAll().where('id', '>', after).orderBy('id').limit(portion).execute(),
    )
    yield { rows }
    const last = rows.at(-1)
    if (last === undefined || rows.length < portion) return
    after = last.id
    await nextTurn()
  }
}

function nextWindow(window: number, ms: number): number {
  if (ms < QUICK_MS) return Math.min(window * 2, LARGEST_WINDOW)
  return ms > 2 * QUICK_MS ? Math.max(window / 2, SMALLEST_WINDOW) : window
}

/** Chooses the index of the most selective condition: the one whose sample spans the longest time. */
async function planOf(
  db: Sql,
  { indexed, others, failures }: AuditConditions,
  { from, until }: AuditFilter,
  { newestFirst, after }: ScanOptions,
): Promise<Plan> {
  const range = { from, until, newestFirst }
  const reaches: number[] = []
  if (indexed.length > 1) {
    for (const leading of indexed) reaches.push(await reachOf(db, { ...range, leading }, failures, after))
  }
  const narrowest = Math.max(0, reaches.indexOf(Math.max(...reaches)))
  return {
    ...range,
    leading: indexed[narrowest],
    failures,
    others: [...indexed.toSpliced(narrowest, 1), ...others],
  }
}

/** The time of the last entry of a sample; infinite if there are fewer entries. */
async function reachOf(
  db: Sql,
  range: IndexRange,
  failures: readonly Condition[],
  after: AuditPosition | undefined,
): Promise<number> {
  const sample = db.selectFrom('audit_entries').select('at').where(all(failures))
  const last = await withinRange(sample, range, after).limit(1).offset(SAMPLE).executeTakeFirst()
  if (last === undefined) return Infinity
  return range.newestFirst ? -last.at : last.at
}

async function queryWindow(
  db: Sql,
  plan: Plan,
  { newestFirst, after, portion, window }: ScanOptions & { readonly window: number },
): Promise<ScanResult> {
  const { failures, others } = plan
  const direction = newestFirst ? 'desc' : 'asc'
  const candidates = withinRange(db.selectFrom('audit_entries').where(all(failures)), plan, after)
  if (others.length === 0) {
    const rows = await candidates.selectAll().limit(portion).execute()
    return { rows, next: rows.length < portion ? undefined : rows.at(-1) }
  }
  const columns = ['id', 'at', ...new Set(others.map(({ column }) => column))] as const
  const found = db
    .selectFrom(candidates.select(columns).limit(window).as('audit_entries'))
    .select('id')
    // The window has all columns that the conditions use.
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

/** The position of an entry in the order of time. */
export interface AuditPosition {
  readonly at: number
  readonly id: number
}

/** A contiguous range of one index: entries with one value of its column, or all, in a time span. */
interface IndexRange {
  readonly leading?: ColumnCondition | undefined
  readonly from?: number | undefined
  readonly until?: number | undefined
  readonly newestFirst: boolean
}

type AuditQuery<Selected> = SelectQueryBuilder<Tables, 'audit_entries', Selected>

/**
 * Restricts a query to a range, in order, after a position. The leading column is part of the order although it has one
 * value: so only its own index matches the order. Otherwise PostgreSQL may scan all entries by time if it overestimates
 * how many match.
 */
export function withinRange<Selected>(
  query: AuditQuery<Selected>,
  range: IndexRange,
  after: AuditPosition | undefined,
): AuditQuery<Selected> {
  const direction = range.newestFirst ? 'desc' : 'asc'
  const bounded = query.where((eb) => eb.and(boundsOf(range, after).map((bound) => bound(eb))))
  const { leading } = range
  const led = leading === undefined ? bounded : bounded.orderBy(leading.column, direction)
  return led.orderBy('at', direction).orderBy('id', direction)
}

function boundsOf({ leading, from, until, newestFirst }: IndexRange, after: AuditPosition | undefined): Condition[] {
  const first = leading === undefined ? [] : [{ name: leading.column, value: leading.value }]
  const at = (moment: number) => ({ name: 'at', value: Math.ceil(moment) }) as const
  const beyond = after === undefined ? undefined : [...first, at(after.at), { name: 'id', value: after.id } as const]
  const lowest = newestFirst || beyond === undefined ? undefined : than('>', beyond)
  const highest = newestFirst && beyond !== undefined ? than('<', beyond) : undefined
  return [
    lowest ?? (from === undefined ? than('>=', first) : than('>=', [...first, at(from)])),
    highest ?? (until === undefined ? than('<=', first) : than('<', [...first, at(until)])),
  ].filter((bound) => bound !== undefined)
}

interface Bound {
  readonly name: ColumnCondition['column'] | 'id'
  readonly value: string | number
}

/** Compares columns lexicographically. */
function than(sign: '<' | '<=' | '>' | '>=', bounds: readonly Bound[]): Condition | undefined {
  if (bounds.length === 0) return undefined
  const names = sql.join(bounds.map(({ name }) => sql.ref(name)))
  const values = sql.join(bounds.map(({ value }) => value))
  return () => sql<SqlBool>`(${names}) ${sql.raw(sign)} (${values})`
}
