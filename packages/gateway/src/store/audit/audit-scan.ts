import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Selectable, type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { AuditFilter } from '../../model/audit.ts'
import type { Sql } from '../sql-dialect.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { AuditRow, Tables } from '../tables.ts'
import { all, type AuditConditions, type ColumnCondition, type Condition, conditionsOf } from './audit-rows.ts'

/** In which order, from where, and how many at a time. */
interface ScanOptions {
  readonly newestFirst: boolean
  readonly after?: AuditPosition
  readonly portion: number
}

/** What one look found. */
interface AuditLook {
  readonly rows: readonly Selectable<AuditRow>[]
  /** Where the next one begins; absent when there is nothing more. */
  readonly next?: AuditPosition | undefined
}

/** What one index answers, and what its entries must be asked besides. */
interface Plan extends Stretch {
  readonly failures: readonly Condition[]
  readonly others: readonly ColumnCondition[]
}

const SMALLEST_WINDOW = 500
const LARGEST_WINDOW = 8_000
/** A look that takes less may be followed by a larger one, one that takes more than twice this by a smaller one. */
const QUICK_MS = 4
/** So many entries of each condition tell which one is the narrowest. */
const SAMPLE = 1_000

/**
 * Finds entries in portions. Where one index does not answer the whole filter, it looks through a window of entries at a
 * time: no query keeps the program busy for long, however little it finds, and who asks may stop after any of them.
 */
export async function* scanAudit(
  database: SqlDatabase,
  filter: AuditFilter,
  options: ScanOptions,
): AsyncGenerator<AuditLook> {
  const conditions = conditionsOf(filter)
  if (conditions.isImpossible) return
  const plan = await database.scan((db) => planOf(db, conditions, filter, options))
  let after = options.after
  let window = plan.others.length === 0 ? options.portion : SMALLEST_WINDOW
  for (;;) {
    const begun = performance.now()
    const found = await database.scan((db) => look(db, plan, { ...options, window, ...(after && { after }) }))
    if (plan.others.length > 0) window = nextWindow(window, performance.now() - begun)
    yield found
    if (found.next === undefined) return
    after = found.next
    await nextTurn()
  }
}

function nextWindow(window: number, ms: number): number {
  if (ms < QUICK_MS) return Math.min(window * 2, LARGEST_WINDOW)
  return ms > 2 * QUICK_MS ? Math.max(window / 2, SMALLEST_WINDOW) : window
}

/** Lets the narrowest condition lead: the one with which a number of entries gets furthest. */
async function planOf(
  db: Sql,
  { indexed, others, failures }: AuditConditions,
  { from, until }: AuditFilter,
  { newestFirst, after }: ScanOptions,
): Promise<Plan> {
  const stretch = { from, until, newestFirst }
  const reaches: number[] = []
  if (indexed.length > 1) {
    for (const leading of indexed) reaches.push(await reachOf(db, { ...stretch, leading }, failures, after))
  }
  const narrowest = Math.max(0, reaches.indexOf(Math.max(...reaches)))
  return {
    ...stretch,
    leading: indexed[narrowest],
    failures,
    others: [...indexed.toSpliced(narrowest, 1), ...others],
  }
}

/** How far a sample of entries gets in time; infinitely far where there are no more than it. */
async function reachOf(
  db: Sql,
  stretch: Stretch,
  failures: readonly Condition[],
  after: AuditPosition | undefined,
): Promise<number> {
  const sample = db.selectFrom('audit_entries').select('at').where(all(failures))
  const last = await along(sample, stretch, after).limit(1).offset(SAMPLE).executeTakeFirst()
  if (last === undefined) return Infinity
  return stretch.newestFirst ? -last.at : last.at
}

async function look(
  db: Sql,
  plan: Plan,
  { newestFirst, after, portion, window }: ScanOptions & { readonly window: number },
): Promise<AuditLook> {
  const { failures, others } = plan
  const direction = newestFirst ? 'desc' : 'asc'
  const candidates = along(db.selectFrom('audit_entries').where(all(failures)), plan, after)
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

/** The place of an entry in time. */
export interface AuditPosition {
  readonly at: number
  readonly id: number
}

/** Entries that lie side by side in one index: those with one value of its column, or all, between two moments. */
interface Stretch {
  readonly leading?: ColumnCondition | undefined
  readonly from?: number | undefined
  readonly until?: number | undefined
  readonly newestFirst: boolean
}

type AuditQuery<Selected> = SelectQueryBuilder<Tables, 'audit_entries', Selected>

/**
 * The entries of a stretch, in order, beyond a place. The column that leads is asked for as a range and is a part of the
 * order, though it has one value only: this way no other index is in order, and none can seem to be the better one.
 * PostgreSQL would else go through all entries by their time, where it takes those of a project to be many.
 */
export function along<Selected>(
  query: AuditQuery<Selected>,
  stretch: Stretch,
  after: AuditPosition | undefined,
): AuditQuery<Selected> {
  const direction = stretch.newestFirst ? 'desc' : 'asc'
  const bounded = query.where((eb) => eb.and(boundsOf(stretch, after).map((bound) => bound(eb))))
  const { leading } = stretch
  const led = leading === undefined ? bounded : bounded.orderBy(leading.column, direction)
  return led.orderBy('at', direction).orderBy('id', direction)
}

function boundsOf({ leading, from, until, newestFirst }: Stretch, after: AuditPosition | undefined): Condition[] {
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

/** Column by column: the next one counts where those before it are equal. */
function than(sign: '<' | '<=' | '>' | '>=', bounds: readonly Bound[]): Condition | undefined {
  if (bounds.length === 0) return undefined
  const names = sql.join(bounds.map(({ name }) => sql.ref(name)))
  const values = sql.join(bounds.map(({ value }) => value))
  return () => sql<SqlBool>`(${names}) ${sql.raw(sign)} (${values})`
}
