import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Selectable } from 'kysely'
import type { AuditFilter } from '../../model/audit.ts'
import type { Sql } from '../flavour.ts'
import type { SqlDatabase } from '../sql-database.ts'
import type { AuditRow } from '../tables.ts'
import { all, type AuditConditions, type ColumnCondition, type Condition, conditionsOf } from './audit-conditions.ts'
import { along, type AuditPosition, type Stretch } from './audit-stretch.ts'

/** In which order, from where, and how many at a time. */
export interface ScanOptions {
  readonly newestFirst: boolean
  readonly after?: AuditPosition
  readonly portion: number
}

/** What one look found. */
export interface AuditLook {
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
