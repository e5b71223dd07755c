import { adminOpenApi, mayUse, type Overview } from '@tooldex/contract/admin'
import { asRecord } from '../../config/merge-config.ts'
import type { AuditSums } from '../../model/audit.ts'
import { unreadableSecrets } from '../../model/server-secrets.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
import type { AdminContext, Handlers } from './admin-context.ts'
import { changeEvents, eventStream } from './event-stream.ts'
import { changeSettings, settingsAnswer } from './settings.ts'

/** Routes about the gateway as a whole. */
export function gatewayHandlers(context: AdminContext) {
  const { parts } = context
  const settings = () =>
    settingsAnswer(parts.store.current(), parts.auditLimits, asRecord(parts.declared().value)['trust'])
  return {
    getOverview: ({ caller }) => overview(context, caller),
    getHealth: async () => {
      const { kind, place, ok, schemaVersion, latestBackupAt, ...found } = await parts.store.check()
      const problems = [
        ...found.problems,
        ...(parts.replicaProblems?.() ?? []),
        ...found.unreadableSecrets.map(({ reason, remedy }) => `${reason}. ${remedy}`),
      ]
      const backup = latestBackupAt === undefined ? {} : { latestBackupAt }
      const store = { kind, place, ok, problems, schemaVersion, ...backup }
      return { status: ok ? 'ok' : 'degraded', version: parts.version, store }
    },
    getSettings: settings,
    changeSettings: async ({ body, revision }) => {
      await changeSettings(body, context.administration, revision)
      return settings()
    },
    followEvents: ({ request }) => eventStream(request.signal, (send) => changeEvents(parts, send)),
    getOpenApi: () => ({ ...adminOpenApi(parts.version) }),
  } satisfies Partial<Handlers>
}

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Fine enough that the last hour is at most this much too long. */
const STEP_MS = 60_000

/** Counts, recent use and current problems of the gateway. */
async function overview(context: AdminContext, caller: AdminCaller): Promise<Overview> {
  const { entries, parts, catalog } = context
  const now = parts.now()
  const states = entries.servers().map(({ id }) => context.statusOf(id)?.state ?? 'unknown')
  const stored = entries.state.tokens
  const all = [...entries.fileTokens(), ...stored]
  const searchApi = parts.live?.searchApi?.()
  const sums = await parts.store.audit.sums({ from: now - DAY_MS }, STEP_MS)
  const lastDay = totalOf(sums)
  const lastHour = totalOf(sums.filter(({ from }) => from > now - HOUR_MS - STEP_MS))
  return {
    version: parts.version,
    startedAt: parts.startedAt,
    servers: { all: states.length, byState: Object.fromEntries(countBy(states)) },
    tools: catalog.tools.size,
    projects: entries.projects().length,
    endpoints: entries.endpoints().length,
    tokens: {
      client: all.length - stored.admins.length,
      admin: stored.admins.length,
      expired: all.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now).length,
    },
    lastDay,
    tokensIfAllWereListed: context.tokens.ofWhole({ list: [...catalog.tools.values()] }),
    ...(searchApi !== undefined && { searchApi }),
    waiting: context.approvals.waiting,
    troubles: [
      ...manyFailures(lastHour, lastDay),
      ...auditBacklog(context),
      ...waitingDefinitions(context),
      ...searchApiProblems(searchApi),
      ...serverProblems(context, caller),
      ...unreadable(context),
      ...missingReferences(context),
    ],
  }
}

type Totals = Overview['lastDay']

function totalOf(sums: readonly AuditSums[]): Totals {
  const total = (key: keyof Totals): number => sums.reduce((sum, each) => sum + each[key], 0)
  return { searches: total('searches'), calls: total('calls'), errors: total('errors') }
}

/** More failures than this need attention. */
const MOST_FAILURES = 0.02
/** Of fewer requests a single failure would be many. */
const FEWEST_REQUESTS = 20

/** Failures of the last hour, so that they show within a minute, else of the last day. */
function manyFailures(lastHour: Totals, lastDay: Totals): Overview['troubles'] {
  const isMany = ({ searches, calls, errors }: Totals): boolean =>
    searches + calls >= FEWEST_REQUESTS && errors > MOST_FAILURES * (searches + calls)
  const within = isMany(lastHour) ? 'hour' : isMany(lastDay) ? 'day' : undefined
  if (within === undefined) return []
  const { searches, calls, errors } = within === 'hour' ? lastHour : lastDay
  const share = ((100 * errors) / (searches + calls)).toFixed(1)
  const time = within === 'hour' ? 'in the last hour' : 'in the last 24 hours'
  return [
    {
      about: 'requests',
      message: `${share}% of requests failed ${time}: ${errors} of ${searches + calls}`,
      remedy: 'Look at the failed requests in the audit log',
      page: 'failures',
      within,
    },
  ]
}

/** A gateway in use has some hundred entries that wait for the next batch. */
const MOST_WAITING = 2_000

function auditBacklog({ parts }: AdminContext): Overview['troubles'] {
  const { waiting = 0, lost = 0 } = parts.live?.auditBacklog?.() ?? {}
  if (waiting <= MOST_WAITING && lost === 0) return []
  const message = `${waiting} audit entries wait for the database${lost === 0 ? '' : `, and ${lost} were lost`}`
  const remedy = 'Check that the database can be reached and has room'
  return [{ about: 'audit log', message, remedy, page: 'settings' }]
}

/** What waits for approval, one entry per server. */
function waitingDefinitions({ approvals }: AdminContext): Overview['troubles'] {
  const held = approvals.held().filter(({ state }) => state === 'held')
  return [...Map.groupBy(held, ({ serverId }) => serverId)].map(([serverId, all]) => ({
    about: `server ${serverId}`,
    message: `${all.length} ${all.length === 1 ? 'definition waits' : 'definitions wait'} for approval`,
    remedy: `Look at ${all.length === 1 ? 'it' : 'them'}: tooldex review --server ${serverId}`,
    page: 'review' as const,
    at: Math.min(...all.map(({ since }) => since)),
  }))
}

function searchApiProblems(searchApi: Overview['searchApi']): Overview['troubles'] {
  if (searchApi?.state !== 'failing' && searchApi?.state !== 'open') return []
  const { host, lastError } = searchApi
  const message = lastError?.reason ?? 'The Search API does not answer'
  const remedy = 'Start it, or correct `searchApi` in the configuration; bm25 answers in the meantime'
  return [
    {
      about: `Search API ${host}`,
      message,
      remedy,
      page: 'settings',
      ...(lastError !== undefined && { at: lastError.at }),
    },
  ]
}

function serverProblems(context: AdminContext, { role }: AdminCaller): Overview['troubles'] {
  return context.entries.servers().flatMap(({ id }) => {
    const status = context.statusOf(id)
    const about = `server ${id}`
    if (status?.state === 'needs-login') {
      const loginUrl = mayUse(role, 'loginServer') ? status.loginUrl : undefined
      const remedy = loginUrl === undefined ? 'Log in to the server' : `Log in at ${loginUrl}`
      return [{ about, message: 'The server requires a login', remedy, at: status.since }]
    }
    if (status?.state === 'failed') {
      const message = status.lastError?.message ?? 'The server does not run'
      return [{ about, message, remedy: 'Check its log; correct its settings or restart it', at: status.since }]
    }
    const { problem, toolsUnknown } = context.catalogServer(id) ?? {}
    if (problem === undefined) return []
    const message = toolsUnknown === undefined ? problem : `It is running, but its tools are unknown: ${toolsUnknown}`
    return [{ about, message, remedy: 'Check its log, or restart it' }]
  })
}

function unreadable({ entries }: AdminContext): Overview['troubles'] {
  return entries.state.servers.flatMap(({ id, config, unreadableSecrets: parts = [] }) => {
    const { reason, remedy } = unreadableSecrets(id, config, parts)
    const restored = `Start the gateway with the key that encrypted them, or ${remedy}`
    return parts.length === 0 ? [] : [{ about: `server ${id}`, message: reason, remedy: restored }]
  })
}

/** Projects and endpoints that refer to removed entries. */
function missingReferences(context: AdminContext): Overview['troubles'] {
  const { entries, model } = context
  const projects = entries.projects().flatMap(({ id, config }) => {
    const gone = (config.servers ?? []).filter((server) => !model.servers.some((each) => each.id === server))
    const message = `The project refers to missing servers: ${gone.join(', ')}`
    return gone.length === 0
      ? []
      : [{ about: `project ${id}`, message, remedy: 'Remove them from the project, or add the servers again' }]
  })
  const endpoints = entries.endpoints().flatMap(({ id, config }) => {
    if (model.projects.has(config.project)) return []
    const message = `The project ${config.project} does not exist, so the endpoint is not served`
    return [{ about: `endpoint ${id}`, message, remedy: 'Assign another project, or remove the endpoint' }]
  })
  return [...projects, ...endpoints]
}

function countBy(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
