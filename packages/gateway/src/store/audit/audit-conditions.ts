import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { AuditFilter } from '../../model/audit.ts'
import type { AUDIT_COLUMNS } from '../flavour.ts'
import type { Tables } from '../tables.ts'
import { columnOf, toIndexed } from './audit-rows.ts'

/** Something that must hold of an entry. */
export type Condition = (eb: ExpressionBuilder<Tables, 'audit_entries'>) => Expression<SqlBool>

/** Something that must hold of one column. */
export interface ColumnCondition {
  readonly column: (typeof AUDIT_COLUMNS)[number]
  readonly value: string
  readonly holds: Condition
}

/** What a filter asks. */
export interface AuditConditions {
  /** Each has an index that answers it in the order of time. The likely narrower ones come first. */
  readonly indexed: readonly ColumnCondition[]
  readonly others: readonly ColumnCondition[]
  /** Only failures. Each index has a twin that holds nothing else. */
  readonly failures: readonly Condition[]
  /** Of every index a part. */
  readonly time: readonly Condition[]
  /** No entry can be all that is asked. */
  readonly isImpossible: boolean
}

const BY_TEXT = ['requestId', 'toolKey', 'serverId', 'tokenId', 'endpointId', 'projectId'] as const

/** The words of the indexes that have failures only: the database must recognise them. */
const isFailure: Condition = (eb) => eb('outcome', '<>', sql.lit('ok'))

/** What a filter asks of entries, by how it can be answered. */
export function conditionsOf(filter: AuditFilter): AuditConditions {
  const { outcome, from, until } = filter
  const failures = outcome !== undefined && outcome !== 'ok' ? [isFailure] : []
  const indexed: ColumnCondition[] = BY_TEXT.flatMap((field) => {
    const text = filter[field]
    return text === undefined ? [] : [equal(columnOf(field), toIndexed(text))]
  })
  const others: ColumnCondition[] = []
  if (outcome !== undefined && outcome !== 'error') others.push(equal('outcome', toIndexed(outcome)))
  // Only calls have a server and a tool: who names one has said the kind.
  const isOfCalls = filter.serverId !== undefined || filter.toolKey !== undefined
  const kind = isOfCalls ? undefined : filter.kind
  // Of failures no index begins with the kind; each has it along.
  if (kind !== undefined) (failures.length === 0 ? indexed : others).push(equal('kind', kind))
  const time: Condition[] = []
  if (from !== undefined) time.push((eb) => eb('at', '>=', Math.ceil(from)))
  if (until !== undefined) time.push((eb) => eb('at', '<', Math.ceil(until)))
  return { indexed, others, failures, time, isImpossible: isOfCalls && filter.kind === 'search' }
}

/** That all hold. */
export function all(conditions: readonly Condition[]): Condition {
  return (eb) => eb.and(conditions.map((condition) => condition(eb)))
}

function equal(column: ColumnCondition['column'], value: string): ColumnCondition {
  return { column, value, holds: (eb) => eb(column, '=', value) }
}
