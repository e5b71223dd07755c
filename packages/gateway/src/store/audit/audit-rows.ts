import { createHash } from 'node:crypto'
import { type Expression, type ExpressionBuilder, type Selectable, sql, type SqlBool } from 'kysely'
import type { AuditEntry, AuditFilter, StoredAuditEntry } from '../../model/audit.ts'
import type { AUDIT_COLUMNS } from '../sql-dialect.ts'
import { fromStorable, toStorable } from '../storable-text.ts'
import type { AuditRow, Tables } from '../tables.ts'

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

/** Longer ones are cut for the index, which takes no more than some 2,700 bytes; the whole is kept beside. */
const LONGEST_INDEXED = 256

const TEXT_COLUMNS = {
  requestId: 'request_id',
  tokenId: 'token_id',
  projectId: 'project_id',
  endpointId: 'endpoint_id',
  serverId: 'server_id',
  toolKey: 'tool_key',
  outcome: 'outcome',
} as const

/** A field of an entry that can be filtered by its text. */
type AuditTextField = keyof typeof TEXT_COLUMNS

const TEXT_FIELDS = Object.keys(TEXT_COLUMNS) as readonly AuditTextField[]

/** The column of a field. */
function columnOf<Field extends AuditTextField>(field: Field): (typeof TEXT_COLUMNS)[Field] {
  return TEXT_COLUMNS[field]
}

/** A text as it is indexed. Different texts stay different. */
function toIndexed(text: string): string {
  if (text.length <= LONGEST_INDEXED) return toStorable(text)
  const hash = createHash('sha256').update(text, 'utf16le').digest('hex')
  return toStorable(`${text.slice(0, LONGEST_INDEXED)}…${hash}`)
}

/** The values of an entry, in the order of `AUDIT_COLUMNS`. */
export function toAuditValues(entry: AuditEntry): readonly unknown[] {
  const called = entry.kind === 'call' ? entry : undefined
  return [
    Math.trunc(entry.at),
    entry.kind,
    toIndexed(entry.requestId),
    toIndexed(entry.tokenId),
    toIndexed(entry.projectId),
    toIndexed(entry.endpointId),
    called === undefined ? null : toIndexed(called.serverId),
    called === undefined ? null : toIndexed(called.toolKey),
    toIndexed(entry.outcome),
    Number.isFinite(entry.durationMs) ? entry.durationMs : 0,
    JSON.stringify({ ...detailsOf(entry), ...cutTexts(entry) }),
  ]
}

/** The entry that a row has. */
export function fromAuditRow(row: Selectable<AuditRow>): StoredAuditEntry {
  const texts = Object.entries(TEXT_COLUMNS).flatMap(([field, column]) => {
    const text = row[column]
    return text === null ? [] : [[field, fromStorable(text)] as const]
  })
  return {
    id: String(row.id),
    at: row.at,
    kind: row.kind,
    durationMs: row.duration_ms,
    ...Object.fromEntries(texts),
    ...(JSON.parse(row.details) as object),
  } as StoredAuditEntry
}

function detailsOf(entry: AuditEntry): object {
  if (entry.kind === 'call') return { requestBytes: entry.requestBytes, resultBytes: entry.resultBytes }
  const { queryCount, resultKeys, answeredBy, degraded } = entry
  return { queryCount, resultKeys, answeredBy, ...(degraded === undefined ? {} : { degraded }) }
}

/** Those that the index has not whole. Hardly ever any: nothing is made where there are none. */
function cutTexts(entry: AuditEntry): Record<string, string> | undefined {
  let cut: Record<string, string> | undefined
  for (const field of TEXT_FIELDS) {
    const text = (entry as { readonly [Field in AuditTextField]?: string })[field]
    if (text !== undefined && text.length > LONGEST_INDEXED) cut = { ...cut, [field]: text }
  }
  return cut
}
