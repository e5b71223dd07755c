import { type AuditBacklog, type AuditEntry, type AuditLog, wasRefused } from '../model/audit.ts'
import type { ServerState, ServerStatus } from '../model/server.ts'
import type { PoolFigures, StoreFigures } from '../model/store.ts'
import type { PlainAnswer } from './health.ts'
import { Histogram, type Labels, type Observations, type Value, Values } from './prometheus-text.ts'

const STATES: readonly ServerState[] = [
  ...(['starting', 'running', 'idle', 'stopped', 'failed', 'needs-login', 'held'] as const),
]
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const SEARCH_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5]

const CHANGE_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30, 300]

/** Values that are read when the metrics are requested; a source that is absent has no values. */
export interface MetricSources {
  readonly version: string
  servers(): readonly ServerStatus[]
  toolCount(): number
  parkedCalls(): number
  store(): StoreFigures
  audit(): AuditBacklog
  /** Absent where a gateway serves standard streams. */
  clients(): ClientFigures
}

/** Clients over HTTP. Connections that were closed by a limit are counted since the start. */
export interface ClientFigures {
  readonly open: number
  readonly refused: number
  readonly evicted: number
  readonly unread: number
  readonly sessions: number
  /** Requests that are being answered. */
  readonly requests: number
}

/** The metrics of a running gateway. Names, labels and units: `docs/reference/metrics.md`. */
export interface Metrics {
  /** Counts a search or a call: everything that is audited is measured. */
  recordEntry(entry: AuditEntry): void
  /** How many tools were eligible when a list or search was last answered for a project. */
  eligibleTools(projectId: string, count: number): void
  /** How long a change of another gateway took to be applied here. */
  changeApplied(ms: number): void
  /** Adds sources. */
  observe(sources: Partial<MetricSources>): void
  /** `GET /metrics` */
  answer(): Promise<PlainAnswer>
}

interface ServerSeries {
  readonly seconds: Observations
  readonly outcomes: Map<string, Value>
}

/**
 * Metrics in the text format of Prometheus. Its client library is loaded for the metrics of the process only, with the first
 * request for them, because it takes 4 MB.
 */
export class PrometheusMetrics implements Metrics {
  readonly #calls = new Values('counter', 'tooldex_calls_total', 'Tool calls, by server and outcome.')
  readonly #callSeconds = new Histogram(
    'tooldex_call_duration_seconds',
    'Time from a tool call to its answer, the server included.',
    CALL_SECONDS,
  )
  /** The series of each server, so that its labels are not formatted with every call. */
  readonly #ofServers = new Map<string, ServerSeries>()
  readonly #searches = new Values('counter', 'tooldex_searches_total', 'Searches, by the strategy that answered.')
  readonly #searchSeconds = new Histogram('tooldex_search_duration_seconds', 'Time that a search took.', SEARCH_SECONDS)
  readonly #eligible = new Values(
    'gauge',
    'tooldex_eligible_tools',
    'Tools that were eligible when last asked, by project.',
  )
  readonly #notices = new Values(
    'counter',
    'tooldex_search_notices_total',
    'Reasons why searches found nothing or were incomplete, by code.',
  )
  readonly #changeSeconds = new Histogram(
    'tooldex_change_lag_seconds',
    'Time from a change at another gateway until it was applied here.',
    CHANGE_SECONDS,
  )
  readonly #withProcess: boolean
  #process: Promise<() => Promise<string>> | undefined
  #sources: Partial<MetricSources> = {}

  /** `processFigures` adds memory, CPU and event loop of the process. */
  constructor({ processFigures = false }: { readonly processFigures?: boolean } = {}) {
    this.#withProcess = processFigures
  }

  recordEntry(entry: AuditEntry): void {
    const seconds = Math.max(0, entry.durationMs) / 1000
    if (entry.kind === 'call') {
      const { seconds: durations, outcomes } = this.#ofServer(entry.serverId)
      const count = outcomes.get(entry.outcome) ?? this.#calls.at({ server: entry.serverId, outcome: entry.outcome })
      outcomes.set(entry.outcome, count)
      count.value++
      if (!wasRefused(entry)) durations.add(seconds)
      return
    }
    if (entry.kind !== 'search') return
    const degraded = entry.degraded === undefined ? 'no' : 'yes'
    this.#searches.add({ answered_by: entry.answeredBy, degraded, outcome: entry.outcome })
    this.#searchSeconds.observe({ answered_by: entry.answeredBy }, seconds)
    for (const code of entry.notices ?? []) this.#notices.add({ code })
  }

  eligibleTools(projectId: string, count: number): void {
    this.#eligible.set({ project: projectId }, count)
  }

  changeApplied(ms: number): void {
    this.#changeSeconds.observe({}, ms / 1_000)
  }

  observe(sources: Partial<MetricSources>): void {
    this.#sources = { ...this.#sources, ...sources }
  }

  async answer(): Promise<PlainAnswer> {
    const searches = [this.#searches, this.#searchSeconds, this.#notices]
    const counted = [this.#calls, this.#callSeconds, ...searches, this.#eligible, this.#changeSeconds]
    const texts = [...counted, ...readSources(this.#sources)].map((metric) => metric.text())
    if (this.#withProcess) texts.push(await this.#processText())
    return { status: 200, contentType: 'text/plain; version=0.0.4; charset=utf-8', body: texts.join('\n') }
  }

  #ofServer(server: string): ServerSeries {
    const known = this.#ofServers.get(server)
    if (known !== undefined) return known
    const made = { seconds: this.#callSeconds.at({ server }), outcomes: new Map<string, Value>() }
    this.#ofServers.set(server, made)
    return made
  }

  async #processText(): Promise<string> {
    this.#process ??= processFigures()
    return (await this.#process)()
  }
}

type Series = readonly (readonly [labels: Labels, value: number])[]

/** The metrics whose values are read, not counted. Each has its lines of help in every answer, with or without values. */
function readSources(sources: Partial<MetricSources>): readonly Values[] {
  const { version } = sources
  const build: Series = version === undefined ? [] : [[{ version }, 1]]
  return [
    valuesOf('gauge', 'tooldex_build_info', 'The version of the gateway, as a label; always 1.', build),
    ...serverValues(sources.servers?.() ?? []),
    valuesOf('gauge', 'tooldex_catalog_tools', 'Tools in the catalog.', one(sources.toolCount?.())),
    ...clientValues(sources.clients?.()),
    valuesOf(
      'gauge',
      'tooldex_parked_calls',
      'Calls that wait for an answer of their client.',
      one(sources.parkedCalls?.()),
    ),
    ...storeValues(sources.store?.()),
    ...auditValues(sources.audit?.()),
  ]
}

function serverValues(servers: readonly ServerStatus[]): readonly Values[] {
  const states = Map.groupBy(servers, ({ state }) => state)
  const restarts: Series = servers.map(({ id, restarts: count }) => [{ server: id }, count])
  const instances: Series = servers.flatMap(({ id, instances: own }) =>
    own === undefined ? [] : [[{ server: id }, own.running] as const],
  )
  return [
    valuesOf(
      ...(['gauge', 'tooldex_servers', 'Servers, by state.'] as const),
      STATES.map((state) => [{ state }, states.get(state)?.length ?? 0]),
    ),
    valuesOf('gauge', 'tooldex_server_restarts', 'Restarts of a server since the gateway started.', restarts),
    valuesOf('gauge', 'tooldex_server_instances', 'Processes of a program that run for one client each.', instances),
  ]
}

function clientValues(clients: ClientFigures | undefined): readonly Values[] {
  const cut: Series =
    clients === undefined
      ? []
      : [
          [{ reason: 'refused' }, clients.refused],
          [{ reason: 'gave-way' }, clients.evicted],
          [{ reason: 'unread' }, clients.unread],
        ]
  return [
    valuesOf('gauge', 'tooldex_connections', 'Connections of clients that are open.', one(clients?.open)),
    valuesOf('counter', 'tooldex_connections_cut_total', 'Connections that were cut, by reason.', cut),
    valuesOf('gauge', 'tooldex_sessions', 'Sessions of clients that are open here.', one(clients?.sessions)),
    valuesOf('gauge', 'tooldex_requests', 'Requests of clients that are being answered.', one(clients?.requests)),
  ]
}

function storeValues(store: StoreFigures | undefined): readonly Values[] {
  const up = store === undefined ? undefined : Number(store.isReachable)
  return [
    valuesOf('gauge', 'tooldex_store_up', '1 while the database answers, else 0.', one(up)),
    valuesOf(
      ...(['gauge', 'tooldex_store_last_known_state'] as const),
      '1 while the gateway serves the state that it last knew, because it started without the database, else 0.',
      one(store === undefined ? undefined : Number(store.isBehind === true)),
    ),
    valuesOf(
      ...(['counter', 'tooldex_store_failures_total'] as const),
      'Transactions that failed because the database was locked or unavailable; each attempt counts.',
      one(store?.failures),
    ),
    ...poolValues(store?.pool),
  ]
}

function poolValues(pool: PoolFigures | undefined): readonly Values[] {
  const connections: Series =
    pool === undefined
      ? []
      : [
          [{ state: 'busy' }, pool.busy],
          [{ state: 'idle' }, pool.idle],
        ]
  const waited = pool === undefined ? undefined : pool.waitedMs / 1_000
  return [
    valuesOf('gauge', 'tooldex_database_connections', 'Connections to PostgreSQL, by state.', connections),
    valuesOf(
      ...(['gauge', 'tooldex_database_waiting'] as const),
      'Transactions that wait for a connection to PostgreSQL.',
      one(pool?.waiting),
    ),
    valuesOf(
      ...(['counter', 'tooldex_database_acquired_total'] as const),
      'How often a transaction asked for a connection to PostgreSQL.',
      one(pool?.acquired),
    ),
    valuesOf(
      ...(['counter', 'tooldex_database_wait_seconds_total'] as const),
      'How long transactions waited for a connection to PostgreSQL.',
      one(waited),
    ),
  ]
}

function auditValues(audit: AuditBacklog | undefined): readonly Values[] {
  return [
    valuesOf('gauge', 'tooldex_audit_waiting', 'Audit entries that wait to be written.', one(audit?.waiting)),
    valuesOf(
      ...(['counter', 'tooldex_audit_lost_total'] as const),
      'Audit entries that were lost: too many waited, or the database refused them.',
      one(audit?.lost),
    ),
  ]
}

const one = (value: number | undefined): Series => (value === undefined ? [] : [[{}, value]])

function valuesOf(kind: 'counter' | 'gauge', name: string, help: string, series: Series): Values {
  const values = new Values(kind, name, help)
  for (const [labels, value] of series) values.set(labels, value)
  return values
}

async function processFigures(): Promise<() => Promise<string>> {
  const { collectDefaultMetrics, Registry } = await import('prom-client')
  const register = new Registry()
  collectDefaultMetrics({ register })
  return () => register.metrics()
}

/** An audit log that also counts what passes through it. */
export function meteredAuditLog(audit: AuditLog, metrics: Pick<Metrics, 'recordEntry'>): AuditLog {
  return {
    record(entry) {
      metrics.recordEntry(entry)
      audit.record(entry)
    },
  }
}
