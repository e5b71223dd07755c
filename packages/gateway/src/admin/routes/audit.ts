import type { AdminAuditEntry, AuditQuery, RouteAnswer, RouteQuery } from '@tooldex/contract/admin'
import { isJwtSubject, subjectOf } from '../../access/jwt-principal.ts'
import { ANONYMOUS } from '../../clients/http/guards.ts'
import type { AuditEntry, AuditFilter, AuditRepository, StoredAuditEntry } from '../../model/audit.ts'
import { LOCAL_ADMIN } from '../access/admin-caller.ts'
import { invalidField } from '../changes/invalid-request.ts'
import type { AdminContext, Handlers } from './admin-context.ts'
import { ADMIN_ENDPOINT, isInternalEndpoint } from './endpoints.ts'
import { eventStream } from './event-stream.ts'

/** Routes about the audit log. */
export function auditHandlers(context: AdminContext) {
  const { now, store } = context.parts
  return {
    listAudit: ({ query }) => auditPage(query, store.audit, currentNames(context)),
    exportAudit: ({ query, request }) => auditExport(query, store.audit, currentNames(context), request.signal),
    sumAudit: ({ query }) => auditSums(query, store.audit, now()),
    followAudit: ({ query, request }) => {
      const filter = filterOf(query)
      const { auditFeed } = context.live
      return eventStream(request.signal, (send) =>
        auditFeed.onEntry(
          (entry) => matches(entry, filter) && send('entry', entryAnswer(entry, currentNames(context))),
        ),
      )
    },
  } satisfies Partial<Handlers>
}

const MOST_STEPS = 2_000
const COLUMNS = [
  ...['id', 'at', 'kind', 'outcome', 'tokenId', 'projectId', 'endpointId', 'serverId', 'toolKey', 'durationMs'],
  ...['requestBytes', 'resultBytes', 'queryCount', 'resultKeys', 'answeredBy', 'degraded', 'requestId'],
  ...['tokenName', 'projectName', 'removed'],
] as const
const EXPORT_CHUNK = 16_384

/** The filter of the repository for a query. */
function filterOf(query: AuditQuery): AuditFilter {
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

/** Whether an entry matches a filter. */
function matches(entry: AuditEntry, filter: AuditFilter): boolean {
  const { outcome, from, until, ...fields } = filter
  const isOutcome = outcome === undefined || (outcome === 'error' ? entry.outcome !== 'ok' : entry.outcome === outcome)
  const isTime = (from === undefined || entry.at >= from) && (until === undefined || entry.at < until)
  const values = entry as unknown as Readonly<Record<string, unknown>>
  return isOutcome && isTime && Object.entries(fields).every(([name, value]) => values[name] === value)
}

/** A page, newest first. */
async function auditPage(
  query: RouteQuery<'listAudit'>,
  audit: AuditRepository,
  names: CurrentNames,
): Promise<RouteAnswer<'listAudit'>> {
  const { limit, cursor, ...rest } = query
  const page = await audit.page(filterOf(rest), { limit, ...(cursor !== undefined && { cursor }) })
  return {
    items: page.entries.map((entry) => entryAnswer(entry, names)),
    ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
  }
}

/** Sums for charts. @throws InvalidRequest for too many steps */
async function auditSums(
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

/** Streams all entries that match. An abort breaks the response off, so that it does not look complete. */
function auditExport(
  query: RouteQuery<'exportAudit'>,
  audit: AuditRepository,
  names: CurrentNames,
  signal: AbortSignal,
): Response {
  const { format, ...rest } = query
  const entries = answersIn(audit.stream(filterOf(rest)), names)
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl'
  return new Response(textStream(format === 'csv' ? csvLines(entries) : jsonLines(entries), signal), {
    headers: { 'content-type': type, 'content-disposition': `attachment; filename="tooldex-audit.${format}"` },
  })
}

/** An entry as the API shows it. Copies field by field, so that no other field is exposed. */
function entryAnswer(entry: AuditEntry & { readonly id?: string }, names: CurrentNames): AdminAuditEntry {
  const { id, at, requestId, tokenId, projectId, endpointId, durationMs, outcome } = entry
  const common = {
    ...(id !== undefined && { id }),
    ...{ at, requestId, tokenId, projectId, endpointId, durationMs, outcome },
    ...namesIn(entry, names),
  }
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

function namesIn(
  entry: AuditEntry,
  names: CurrentNames,
): Pick<AdminAuditEntry, 'tokenName' | 'projectName' | 'removed'> {
  const tokenName = names.token(entry.tokenId)
  const projectName = names.project(entry.projectId)
  const isServerGone = entry.kind === 'call' && entry.serverId !== '' && names.server(entry.serverId) === undefined
  const removed = [
    ...(tokenName === undefined ? (['token'] as const) : []),
    ...(projectName === undefined ? (['project'] as const) : []),
    ...(names.endpoint(entry.endpointId) === undefined ? (['endpoint'] as const) : []),
    ...(isServerGone ? (['server'] as const) : []),
  ]
  return {
    ...(tokenName !== undefined && { tokenName }),
    ...(projectName !== undefined && { projectName }),
    ...(removed.length > 0 && { removed }),
  }
}

async function* answersIn(
  entries: AsyncIterable<StoredAuditEntry>,
  names: CurrentNames,
): AsyncGenerator<AdminAuditEntry> {
  for await (const entry of entries) yield entryAnswer(entry, names)
}

async function* jsonLines(entries: AsyncIterable<AdminAuditEntry>): AsyncGenerator<string> {
  for await (const entry of entries) yield `${JSON.stringify(entry)}\n`
}

async function* csvLines(entries: AsyncIterable<AdminAuditEntry>): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`
  for await (const entry of entries) {
    const values = entry as Readonly<Record<string, string | number | readonly string[] | undefined>>
    yield `${COLUMNS.map((column) => csvCell(values[column])).join(',')}\r\n`
  }
}

/** Quotes a cell if necessary, and stops spreadsheets from reading it as a formula. */
export function csvCell(value: string | number | readonly string[] | undefined): string {
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

/** The current names of ids; undefined for removed entries. */
interface CurrentNames {
  token(id: string): string | undefined
  project(id: string): string | undefined
  endpoint(id: string): string | undefined
  server(id: string): string | undefined
}

/** Audited callers without a token of their own. */
const WITHOUT_TOKEN = [LOCAL_ADMIN, ANONYMOUS].map(({ tokenId, name }) => [tokenId, name] as const)

/** Takes the current names. */
export function currentNames({ entries }: Pick<AdminContext, 'entries'>): CurrentNames {
  const tokens = new Map([...WITHOUT_TOKEN, ...entries.tokens().map(({ id, name }) => [id, name] as const)])
  const projects = new Map(entries.projects().map(({ id, config }) => [id, config.name ?? id]))
  const endpoints = new Set(entries.endpoints().map(({ id }) => id))
  const servers = new Map(entries.servers().map(({ id, config }) => [id, config.name ?? id]))
  return {
    token: (id) => tokens.get(id) ?? (isJwtSubject(id) ? subjectOf(id) : undefined),
    project: (id) => projects.get(id),
    endpoint: (id) => (endpoints.has(id) || id === ADMIN_ENDPOINT || isInternalEndpoint(id) ? id : undefined),
    server: (id) => servers.get(id),
  }
}
