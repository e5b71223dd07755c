import type { AdminAuditEntry } from '@tooldex/contract/admin'
import { EXPORT_VERSION, type ExportEnd, type ExportStart } from '../../audit/audit-export-lines.ts'
import type { AuditFilter, AuditRepository, StoredAuditEntry } from '../../model/audit.ts'

const COLUMNS = [
  ...['id', 'at', 'kind', 'outcome', 'tokenId', 'projectId', 'endpointId', 'serverId', 'toolKey', 'durationMs'],
  ...['requestBytes', 'resultBytes', 'queryCount', 'resultKeys', 'answeredBy', 'degraded', 'requestId'],
  ...['tokenName', 'projectName', 'removed', 'transport', 'clientName', 'clientVersion', 'queries'],
  ...['action', 'target', 'changes', 'address', 'count', 'lastAt', 'notices', 'role'],
] as const
const EXPORT_CHUNK = 16_384

/** What is exported, and how. */
interface ExportOptions {
  readonly format: 'jsonl' | 'csv'
  readonly filter: AuditFilter
  readonly audit: AuditRepository
  readonly show: (entry: StoredAuditEntry) => AdminAuditEntry
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Streams all entries that match. An abort breaks the response off, so that it does not look complete. */
export function auditExport(options: ExportOptions): Response {
  const { format, signal } = options
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl'
  return new Response(textStream(format === 'csv' ? csvLines(options) : jsonLines(options), signal), {
    headers: { 'content-type': type, 'content-disposition': `attachment; filename="tooldex-audit.${format}"` },
  })
}

/** Entries between two lines that tell a whole export from one that was cut. */
async function* jsonLines({ filter, audit, show, now }: ExportOptions): AsyncGenerator<string> {
  const { start, head } = await audit.chainEnds()
  yield jsonLine({
    kind: 'export',
    version: EXPORT_VERSION,
    at: now(),
    filter,
    chain: { start, head },
  } satisfies ExportStart)
  let entries = 0
  for await (const entry of audit.stream(filter)) {
    entries += 1
    yield jsonLine(show(entry))
  }
  // Retention may have removed entries meanwhile.
  const ends = await audit.chainEnds()
  yield jsonLine({ kind: 'end', entries, chain: { start: ends.start } } satisfies ExportEnd)
}

const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`

async function* csvLines({ filter, audit, show }: ExportOptions): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for await (const stored of audit.stream(filter)) {
    const entry = show(stored)
    const flat = entry.kind === 'change' ? { ...entry, changes: entry.changes.map(describeChange) } : entry
    const values = flat as Readonly<Record<string, CellValue>>
    yield `${COLUMNS.map((column) => csvCell(values[column])).join(',')}\r\n`
  }
}

function describeChange({
  of,
  id,
  how,
  fields,
}: Extract<AdminAuditEntry, { kind: 'change' }>['changes'][number]): string {
  return `${how} ${of} ${id}${fields.length === 0 ? '' : `: ${fields.join(' ')}`};`
}

type CellValue = string | number | readonly string[] | undefined

/** Quotes a cell if necessary, and stops spreadsheets from reading it as a formula. */
export function csvCell(value: CellValue): string {
  if (value === undefined) return ''
  const text = typeof value === 'object' ? value.join(' ') : String(value)
  const harmless = typeof value !== 'number' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Joins lines to chunks of some size: one chunk per entry would be slow. */
function textStream(lines: AsyncGenerator<string>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      let text = ''
      while (text.length < EXPORT_CHUNK) {
        if (signal.aborted) await lines.return(undefined)
        signal.throwIfAborted()
        const next = await lines.next()
        if (next.done === true) {
          if (text !== '') controller.enqueue(encoder.encode(text))
          controller.close()
          return
        }
        text += next.value
      }
      controller.enqueue(encoder.encode(text))
    },
    async cancel() {
      await lines.return(undefined)
    },
  })
}
