import type { AdminAuditEntry, AuditQuery, RouteAnswer, RouteQuery } from '@tooldex/contract/admin'
import { isJwtSubject, subjectOf } from '../../access/jwt-principal.ts'
import { summariseSearches, unanswered } from '../../audit/searches.ts'
import { ANONYMOUS } from '../../clients/http/guards.ts'
import { isInternalEndpoint } from '../../model/endpoint.ts'
import type { AuditEntry, AuditFilter, AuditRepository, StoredAuditEntry } from '../../model/audit.ts'
import { LOCAL_ADMIN } from '../access/admin-caller.ts'
import { invalidField } from '../changes/invalid-request.ts'
import { ADMIN_ENDPOINT, type AdminContext, type Handlers } from './admin-context.ts'
import { auditExport } from './audit-export.ts'
import { eventStream } from './event-stream.ts'

/** Routes about the audit log. */
export function auditHandlers(context: AdminContext) {
  const { now, store } = context.parts
  return {
    listAudit: ({ query }) => auditPage(query, store.audit, currentNames(context)),
    exportAudit: ({ query: { format, ...query }, request: { signal } }) => {
      const names = currentNames(context)
      const show = (entry: StoredAuditEntry) => entryAnswer(entry, names)
      return auditExport({ format, filter: filterOf(query), audit: store.audit, show, now, signal })
    },
    listSearches: ({ query }) => searchList(query, store.audit, now()),
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
const DAY_MS = 24 * 60 * 60 * 1_000
const SEARCH_DAYS = 30

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

/** Searches by their texts. */
async function searchList(
  { project, from, until, unanswered: isUnanswered, limit }: RouteQuery<'listSearches'>,
  audit: AuditRepository,
  now: number,
): Promise<RouteAnswer<'listSearches'>> {
  const asked = { from: from ?? Math.max(0, now - SEARCH_DAYS * DAY_MS) }
  const filter = filterOf({
    ...asked,
    ...(project !== undefined && { project }),
    ...(until !== undefined && { until }),
  })
  const { summaries, withoutTexts } = await summariseSearches(audit.stream(filter))
  const wanted = isUnanswered ? summaries.filter((each) => unanswered(each) > 0) : summaries
  return { items: wanted.slice(0, limit).map((each) => ({ ...each, queries: [...each.queries] })), withoutTexts }
}

/** An entry as the API shows it. Copies field by field, so that no other field is exposed. */
function entryAnswer(entry: AuditEntry | StoredAuditEntry, names: CurrentNames): AdminAuditEntry {
  const { at, requestId, tokenId, projectId, endpointId, durationMs, outcome } = entry
  const { transport, clientName, clientVersion } = entry
  const common = {
    ...('id' in entry && { id: entry.id }),
    ...{ at, requestId, tokenId, projectId, endpointId, durationMs, outcome },
    ...(transport !== undefined && { transport }),
    ...(clientName !== undefined && { clientName }),
    ...(clientVersion !== undefined && { clientVersion }),
    ...('isDamaged' in entry && { isDamaged: true as const }),
    ...('chain' in entry && entry.chain !== undefined && { chain: { ...entry.chain } }),
    ...namesIn(entry, names),
  }
  switch (entry.kind) {
    case 'call': {
      const { kind, serverId, toolKey, requestBytes, resultBytes } = entry
      return { kind, ...common, serverId, toolKey, requestBytes, resultBytes }
    }
    case 'search': {
      const { kind, queryCount, queries, resultKeys, answeredBy, degraded, notices } = entry
      return {
        ...{ kind, ...common, queryCount, resultKeys: [...resultKeys], answeredBy },
        ...(queries !== undefined && { queries: [...queries] }),
        ...(degraded !== undefined && { degraded }),
        ...(notices !== undefined && { notices: [...notices] }),
      }
    }
    case 'change': {
      const { kind, action, target, role, changes } = entry
      return {
        kind,
        ...common,
        action,
        target,
        ...(role !== undefined && { role }),
        changes: changes.map((each) => ({ ...each, fields: [...each.fields] })),
      }
    }
    case 'refusal': {
      const { kind, address, count, lastAt } = entry
      return { kind, ...common, address, count, lastAt }
    }
  }
}

function namesIn(
  entry: AuditEntry,
  names: CurrentNames,
): Pick<AdminAuditEntry, 'tokenName' | 'projectName' | 'removed'> {
  const tokenName = names.token(entry.tokenId)
  const projectName = names.project(entry.projectId)
  const isMissing = (id: string, name: string | undefined): boolean => id !== '' && name === undefined
  const isServerGone = entry.kind === 'call' && entry.serverId !== '' && names.server(entry.serverId) === undefined
  const removed = [
    ...(isMissing(entry.tokenId, tokenName) ? (['token'] as const) : []),
    ...(isMissing(entry.projectId, projectName) ? (['project'] as const) : []),
    ...(isMissing(entry.endpointId, names.endpoint(entry.endpointId)) ? (['endpoint'] as const) : []),
    ...(isServerGone ? (['server'] as const) : []),
  ]
  return {
    ...(tokenName !== undefined && { tokenName }),
    ...(projectName !== undefined && { projectName }),
    ...(removed.length > 0 && { removed }),
  }
}

/** The current names of ids; undefined for removed entries. */
interface CurrentNames {
  token(id: string): string | undefined
  project(id: string): string | undefined
  endpoint(id: string): string | undefined
  server(id: string): string | undefined
}

/** Audited callers without a token of their own. */
const WITHOUT_TOKEN: ReadonlyMap<string, string> = new Map(
  [LOCAL_ADMIN, ANONYMOUS].map(({ tokenId, name }) => [tokenId, name]),
)

/** Takes the current names. */
export function currentNames({ entries, model }: Pick<AdminContext, 'entries' | 'model'>): CurrentNames {
  const projects = new Map(
    entries.projects().map(({ id, config }) => [id, model.projects.get(id)?.name ?? config.name ?? id]),
  )
  const endpoints = new Set(entries.endpoints().map(({ id }) => id))
  const servers = new Map(entries.servers().map(({ id, config }) => [id, config.name ?? id]))
  return {
    token: (id) => WITHOUT_TOKEN.get(id) ?? entries.tokenName(id) ?? (isJwtSubject(id) ? subjectOf(id) : undefined),
    project: (id) => projects.get(id),
    endpoint: (id) => (endpoints.has(id) || id === ADMIN_ENDPOINT || isInternalEndpoint(id) ? id : undefined),
    server: (id) => servers.get(id),
  }
}
