import type { AuditQuery, RouteAnswer, RouteQuery } from '@tooldex/contract/admin'
import type { AuditEntry } from '../audit/audit-log.ts'
import type { AuditFilter, AuditRepository, StoredAuditEntry } from '../audit/audit-repository.ts'
import { invalidField } from './invalid-request.ts'

const MOST_STEPS = 2_000
const COLUMNS = [
  ...['id', 'at', 'kind', 'outcome', 'tokenId', 'projectId', 'endpointId', 'serverId', 'toolKey', 'durationMs'],
  ...['requestBytes', 'resultBytes', 'queryCount', 'resultKeys', 'answeredBy', 'degraded', 'requestId'],
] as const
const EXPORT_CHUNK = 16_384

/** What a URL says, as the repository wants it. */
export function filterOf(query: AuditQuery): AuditFilter {
  const { kind, token, project, endpoint, server, tool, request, outcome, from, until } = query
  if (from !== undefined && until !== undefined && from >= until) throw invalidField('until', 'must be after from')
  return {
    ...(kind !== undefined && { kind }),
    ...(token !== undefined && { tokenId: token }),
    ...(project !== undefined && { projectId: project }),
    ...(endpoint !== undefined && { endpointId: endpoint }),
    ...(server !== undefined && { serverId: server }),
    ...(tool !== undefined && { toolKey: tool }),
    ...(request !== undefined && { requestId: request }),
    ...(outcome !== undefined && { outcome }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  }
}

/** Whether an entry is among those that are asked for. */
export function fits(entry: AuditEntry, filter: AuditFilter): boolean {
  const { outcome, from, until, ...fields } = filter
  const isOutcome = outcome === undefined || (outcome === 'error' ? entry.outcome !== 'ok' : entry.outcome === outcome)
  const isTime = (from === undefined || entry.at >= from) && (until === undefined || entry.at < until)
  const values = entry as unknown as Readonly<Record<string, unknown>>
  return isOutcome && isTime && Object.entries(fields).every(([name, value]) => values[name] === value)
}

/** A page, newest first. */
export async function auditPage(
  query: RouteQuery<'listAudit'>,
  audit: AuditRepository,
): Promise<RouteAnswer<'listAudit'>> {
  const { limit, cursor, ...rest } = query
  const page = await audit.page(filterOf(rest), { limit, ...(cursor !== undefined && { cursor }) })
  return {
    items: page.entries.map(entryAnswer),
    ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
  }
}

/** Sums for charts. @throws InvalidRequest for too many steps */
export async function auditSums(
  query: RouteQuery<'sumAudit'>,
  audit: AuditRepository,
  now: number,
): Promise<RouteAnswer<'sumAudit'>> {
  const { stepMs, ...rest } = query
  const from = rest.from ?? now - stepMs * 24
  const until = rest.until ?? now
  if ((until - from) / stepMs > MOST_STEPS) throw invalidField('stepMs', `must make at most ${MOST_STEPS} steps`)
  const sums = await audit.sums(filterOf({ ...rest, from, until }), stepMs)
  return { items: sums.map((each) => ({ ...each })) }
}

/** Everything that fits, as it is read. */
export function auditExport(query: RouteQuery<'exportAudit'>, audit: AuditRepository): Response {
  const { format, ...rest } = query
  const lines = format === 'csv' ? csvLines(audit.stream(filterOf(rest))) : jsonLines(audit.stream(filterOf(rest)))
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl'
  return new Response(textStream(lines), {
    headers: { 'content-type': type, 'content-disposition': `attachment; filename="tooldex-audit.${format}"` },
  })
}

/** An entry as the API shows it: field by field, so that nothing else gets out. */
export function entryAnswer(entry: AuditEntry & { readonly id?: string }): RouteAnswer<'listAudit'>['items'][number] {
  const { id, at, requestId, tokenId, projectId, endpointId, durationMs, outcome } = entry
  const common = { ...(id !== undefined && { id }), at, requestId, tokenId, projectId, endpointId, durationMs, outcome }
  if (entry.kind === 'call') {
    const { kind, serverId, toolKey, requestBytes, resultBytes } = entry
    return { kind, ...common, serverId, toolKey, requestBytes, resultBytes }
  }
  const { kind, queryCount, resultKeys, answeredBy, degraded } = entry
  return {
    kind,
    ...common,
    queryCount,
    resultKeys: [...resultKeys],
    answeredBy,
    ...(degraded !== undefined && { degraded }),
  }
}

async function* jsonLines(entries: AsyncIterable<StoredAuditEntry>): AsyncGenerator<string> {
  for await (const entry of entries) yield `${JSON.stringify(entryAnswer(entry))}\n`
}

async function* csvLines(entries: AsyncIterable<StoredAuditEntry>): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for await (const entry of entries) {
    const values = entryAnswer(entry) as Readonly<Record<string, string | number | readonly string[] | undefined>>
    yield `${COLUMNS.map((column) => csvCell(values[column])).join(',')}\r\n`
  }
}

/** Quoted where need be; a cell that a spreadsheet would take for a formula is made a text. */
export function csvCell(value: string | number | readonly string[] | undefined): string {
  if (value === undefined) return ''
  const text = typeof value === 'object' ? value.join(' ') : String(value)
  const harmless = typeof value !== 'number' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** In pieces of some size: an entry each would be slow. */
function textStream(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      let text = ''
      while (text.length < EXPORT_CHUNK) {
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
