import { type SelectQueryBuilder, sql, type SqlBool } from 'kysely'
import type { Tables } from '../tables.ts'
import type { ColumnCondition, Condition } from './audit-conditions.ts'

/** The place of an entry in time. */
export interface AuditPosition {
  readonly at: number
  readonly id: number
}

/** Entries that lie side by side in one index: those with one value of its column, or all, between two moments. */
export interface Stretch {
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
