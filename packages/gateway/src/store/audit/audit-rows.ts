import { createHash } from 'node:crypto'
import { isRecord, parseJson } from '@tooldex/http-kit/json'
import { type Expression, type ExpressionBuilder, type Selectable, sql, type SqlBool } from 'kysely'
import type { AuditEntry, AuditFilter, ChainLink, StoredAuditEntry } from '../../model/audit.ts'
import type { AUDIT_COLUMNS } from '../sql-dialect.ts'
import { fromStorable, toStorable } from '../storable-text.ts'
import type { AuditRow, Tables } from '../tables.ts'

/** Longer texts are truncated for the index, which is limited to some 2,700 bytes; `details` has the full text. */
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

/** A text field of an entry with a filter. */
type AuditTextField = keyof typeof TEXT_COLUMNS

const TEXT_FIELDS = Object.keys(TEXT_COLUMNS) as readonly AuditTextField[]

/** The column of a field. */
function columnOf<Field extends AuditTextField>(field: Field): (typeof TEXT_COLUMNS)[Field] {
  return TEXT_COLUMNS[field]
}

/** The indexed form of a text; a hash keeps truncated texts distinct. */
function toIndexed(text: string): string {
  if (text.length <= LONGEST_INDEXED) return toStorable(text)
  const hash = createHash('sha256').update(text, 'utf16le').digest('hex')
  return toStorable(`${text.slice(0, LONGEST_INDEXED)}…${hash}`)
}

/** The values of an entry, in the order of `AUDIT_COLUMNS`. */
export function toAuditValues(entry: AuditEntry, link: ChainLink): readonly unknown[] {
  const called = entry.kind === 'call' ? entry : undefined
  return [
    entry.at,
    entry.kind,
    toIndexed(entry.requestId),
    toIndexed(entry.tokenId),
    toIndexed(entry.projectId),
    toIndexed(entry.endpointId),
    called === undefined ? null : toIndexed(called.serverId),
    called === undefined ? null : toIndexed(called.toolKey),
    toIndexed(entry.outcome),
    entry.durationMs,
    JSON.stringify({ ...detailsOf(entry, link), ...truncatedTexts(entry) }),
    link.seq,
    link.hash,
    queriesOf(entry, link),
  ]
}

/** The entry of a row. */
export function fromAuditRow(row: Selectable<AuditRow>): StoredAuditEntry {
  const texts = Object.entries(TEXT_COLUMNS).flatMap(([field, column]) => {
    const text = row[column]
    return text === null ? [] : [[field, fromStorable(text)] as const]
  })
  const read = readDetails(row)
  const { queryDigest, ...fields } = read ?? EMPTY_DETAILS[row.kind] ?? EMPTY_DETAILS.change
  const kept = keptQueries(row.queries)
  const digested = {
    ...(queryDigest !== undefined && { queryDigest }),
    ...(kept !== undefined && { querySalt: kept.salt }),
  }
  return {
    id: String(row.id),
    at: row.at,
    kind: row.kind in EMPTY_DETAILS ? row.kind : 'change',
    durationMs: row.duration_ms,
    ...Object.fromEntries(texts),
    ...fields,
    ...(kept !== undefined && { queries: kept.texts }),
    ...((read === undefined || (kept === undefined && row.queries !== null)) && { isDamaged: true as const }),
    ...(row.seq !== null && { chain: { seq: row.seq, hash: row.hash, ...digested } }),
  } as StoredAuditEntry
}

type Details = Readonly<Record<string, unknown>> & { readonly queryDigest?: string }

/** What is shown of an entry whose details cannot be read. */
const EMPTY_DETAILS: Readonly<Record<AuditEntry['kind'], Details>> = {
  call: { requestBytes: 0, resultBytes: 0 },
  search: { queryCount: 0, resultKeys: [], answeredBy: '' },
  change: { action: '', target: '', changes: [] },
  refusal: { address: '', count: 0, lastAt: 0 },
}

/** The details of a row; undefined if a hand or a fault has changed them, so that one row does not hide the others. */
function readDetails({ kind, details }: Pick<Selectable<AuditRow>, 'kind' | 'details'>): Details | undefined {
  const read = parseJson(details)
  const expected = EMPTY_DETAILS[kind] as Details | undefined
  if (!isRecord(read) || expected === undefined) return undefined
  const isWhole = Object.entries(expected).every(([name, value]) =>
    Array.isArray(value) ? Array.isArray(read[name]) : typeof read[name] === typeof value,
  )
  return isWhole ? (read as Details) : undefined
}

function keptQueries(text: string | null): KeptQueries | undefined {
  const read = text === null ? undefined : parseJson(text)
  return isRecord(read) && Array.isArray(read['texts']) && read['texts'].every((each) => typeof each === 'string')
    ? (read as unknown as KeptQueries)
    : undefined
}

function detailsOf(entry: AuditEntry, { queryDigest }: ChainLink): object {
  const { transport, clientName, clientVersion } = entry
  return { ...ownDetailsOf(entry), transport, clientName, clientVersion, queryDigest }
}

/** Undefined fields are not written. */
function ownDetailsOf(entry: AuditEntry): object {
  switch (entry.kind) {
    case 'call':
      return { requestBytes: entry.requestBytes, resultBytes: entry.resultBytes }
    case 'search': {
      const { queryCount, resultKeys, answeredBy, degraded, notices } = entry
      return { queryCount, resultKeys, answeredBy, degraded, notices }
    }
    case 'change': {
      const { action, target, role, changes } = entry
      return { action, target, role, changes }
    }
    case 'refusal': {
      const { address, count, lastAt } = entry
      return { address, count, lastAt }
    }
  }
}

/** The texts of a search, which are removed earlier than the entry, and their salt. */
interface KeptQueries {
  readonly texts: readonly string[]
  readonly salt: string
}

function queriesOf(entry: AuditEntry, { querySalt }: ChainLink): string | null {
  if (entry.kind !== 'search' || entry.queries === undefined || querySalt === undefined) return null
  return JSON.stringify({ texts: entry.queries, salt: querySalt } satisfies KeptQueries)
}

/** The full texts of truncated fields; usually none. */
function truncatedTexts(entry: AuditEntry): Record<string, string> | undefined {
  let cut: Record<string, string> | undefined
  for (const field of TEXT_FIELDS) {
    const text = (entry as { readonly [Field in AuditTextField]?: string })[field]
    if (text !== undefined && text.length > LONGEST_INDEXED) cut = { ...cut, [field]: text }
  }
  return cut
}

/** A condition on an entry. */
export type Condition = (eb: ExpressionBuilder<Tables, 'audit_entries'>) => Expression<SqlBool>

/** A condition on one column. */
export interface ColumnCondition {
  readonly column: (typeof AUDIT_COLUMNS)[number]
  readonly value: string
  readonly holds: Condition
}

/** The conditions of a filter, by how a database can check them. */
export interface AuditConditions {
  /** Each has an index in the order of time. The usually more selective ones come first. */
  readonly indexed: readonly ColumnCondition[]
  readonly others: readonly ColumnCondition[]
  /** Failures only. Each index has a partial variant for them. */
  readonly failures: readonly Condition[]
  /** The time span, which every index covers. */
  readonly time: readonly Condition[]
  /** The filter contradicts itself. */
  readonly isImpossible: boolean
}

const BY_TEXT = ['requestId', 'toolKey', 'serverId', 'tokenId', 'endpointId', 'projectId'] as const

/** Must be written as in the partial indexes, so that the database uses them. */
const isFailure: Condition = (eb) => eb('outcome', '<>', sql.lit('ok'))

/** The conditions of a filter. */
export function conditionsOf(filter: AuditFilter): AuditConditions {
  const { outcome, from, until } = filter
  const failures = outcome !== undefined && outcome !== 'ok' ? [isFailure] : []
  const indexed: ColumnCondition[] = BY_TEXT.flatMap((field) => {
    const text = filter[field]
    return text === undefined ? [] : [equal(columnOf(field), toIndexed(text))]
  })
  const others: ColumnCondition[] = []
  if (outcome !== undefined && outcome !== 'error') others.push(equal('outcome', toIndexed(outcome)))
  // Only calls have a server and a tool, so a filter for either implies the kind.
  const isOfCalls = filter.serverId !== undefined || filter.toolKey !== undefined
  const kind = isOfCalls ? undefined : filter.kind
  // No index of failures begins with the kind; each includes it.
  if (kind !== undefined) (failures.length === 0 ? indexed : others).push(equal('kind', kind))
  const time: Condition[] = []
  if (from !== undefined) time.push((eb) => eb('at', '>=', Math.ceil(from)))
  if (until !== undefined) time.push((eb) => eb('at', '<', Math.ceil(until)))
  return { indexed, others, failures, time, isImpossible: isOfCalls && (filter.kind ?? 'call') !== 'call' }
}

/** The conjunction of conditions. */
export function all(conditions: readonly Condition[]): Condition {
  return (eb) => eb.and(conditions.map((condition) => condition(eb)))
}

function equal(column: ColumnCondition['column'], value: string): ColumnCondition {
  return { column, value, holds: (eb) => eb(column, '=', value) }
}
