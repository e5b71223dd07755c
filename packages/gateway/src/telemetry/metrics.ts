import { type AuditEntry, type AuditLog, wasRefused } from '../model/audit.ts'
import type { ServerState, ServerStatus } from '../model/server.ts'
import type { PlainAnswer } from './health.ts'
import { Histogram, type Observations, type Value, Values } from './prometheus-text.ts'

const STATES: readonly ServerState[] = [
  ...(['starting', 'running', 'idle', 'stopped', 'failed', 'needs-login', 'held'] as const),
]
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const SEARCH_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5]

/** Values that are read when the metrics are requested. */
export interface MetricSources {
  servers(): readonly ServerStatus[]
  toolCount(): number
}

/** Counts of clients' connections since the start. */
export interface ConnectionFigures {
  readonly open: number
  readonly refused: number
  readonly evicted: number
  readonly unread: number
}

/** The metrics of a running gateway. Names, labels and units: `docs/reference/metrics.md`. */
export interface Metrics {
  /** Counts a search or a call: everything that is audited is measured. */
  recordEntry(entry: AuditEntry): void
  /** How many tools were eligible when a list or search was last answered for a project. */
  eligibleTools(projectId: string, count: number): void
  observe(sources: MetricSources): void
  /** The same for connections, which a gateway over standard streams has none of. */
  observeConnections(counts: () => ConnectionFigures): void
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
  readonly #servers = new Values('gauge', 'tooldex_servers', 'Servers, by state.')
  readonly #restarts = new Values('gauge', 'tooldex_server_restarts', 'Restarts of a server since the gateway started.')
  readonly #instances = new Values(
    'gauge',
    'tooldex_server_instances',
    'Processes of a program that run for one client each.',
  )
  readonly #tools = new Values('gauge', 'tooldex_catalog_tools', 'Tools in the catalog.')
  readonly #connections = new Values('gauge', 'tooldex_connections', 'Connections of clients that are open.')
  readonly #cutOff = new Values('counter', 'tooldex_connections_cut_total', 'Connections that were cut, by reason.')
  readonly #withProcess: boolean
  #process: Promise<() => Promise<string>> | undefined
  #connectionCounts: (() => ConnectionFigures) | undefined
  #sources: MetricSources = { servers: () => [], toolCount: () => 0 }

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
  }

  eligibleTools(projectId: string, count: number): void {
    this.#eligible.set({ project: projectId }, count)
  }

  observe(sources: MetricSources): void {
    this.#sources = sources
  }

  observeConnections(counts: () => ConnectionFigures): void {
    this.#connectionCounts = counts
  }

  async answer(): Promise<PlainAnswer> {
    this.#readSources()
    const counted = [this.#calls, this.#callSeconds, this.#searches, this.#searchSeconds, this.#eligible]
    const read = [this.#servers, this.#restarts, this.#instances, this.#tools, this.#connections, this.#cutOff]
    const texts = [...counted, ...read].map((metric) => metric.text())
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

  #readSources(): void {
    const servers = this.#sources.servers()
    const states = servers.map(({ state }) => state)
    for (const state of STATES) this.#servers.set({ state }, states.filter((each) => each === state).length)
    this.#restarts.clear()
    this.#instances.clear()
    for (const { id, restarts, instances } of servers) {
      this.#restarts.set({ server: id }, restarts)
      if (instances !== undefined) this.#instances.set({ server: id }, instances.running)
    }
    this.#tools.set({}, this.#sources.toolCount())
    const connections = this.#connectionCounts?.()
    if (connections === undefined) return
    this.#connections.set({}, connections.open)
    this.#cutOff.set({ reason: 'refused' }, connections.refused)
    this.#cutOff.set({ reason: 'gave-way' }, connections.evicted)
    this.#cutOff.set({ reason: 'unread' }, connections.unread)
  }

  async #processText(): Promise<string> {
    this.#process ??= processFigures()
    return (await this.#process)()
  }
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
