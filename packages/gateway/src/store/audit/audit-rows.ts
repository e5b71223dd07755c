import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { AuditEntry, StoredAuditEntry } from '../../model/audit.ts'
import { fromStorable, toStorable } from '../storable-text.ts'
import type { AuditRow } from '../tables.ts'

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
export type AuditTextField = keyof typeof TEXT_COLUMNS

const TEXT_FIELDS = Object.keys(TEXT_COLUMNS) as readonly AuditTextField[]

/** The column of a field. */
export function columnOf<Field extends AuditTextField>(field: Field): (typeof TEXT_COLUMNS)[Field] {
  return TEXT_COLUMNS[field]
}

/** A text as it is indexed. Different texts stay different. */
export function toIndexed(text: string): string {
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
