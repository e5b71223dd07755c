import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { AuditEntry, AuditLog } from '../audit/audit-log.ts'
import type { ServerState, ServerStatus } from '../servers/server.ts'
import type { PlainAnswer } from './health.ts'

const STATES: readonly ServerState[] = [
  ...(['starting', 'running', 'idle', 'stopped', 'failed', 'needs-login', 'quarantined'] as const),
]
const CALL_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const SEARCH_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5]

/** What is read at the moment that somebody asks for the figures. */
export interface MetricSources {
  servers(): readonly ServerStatus[]
  toolCount(): number
}

/** The figures of a running gateway. Names, labels and units: `docs/reference/metrics.md`. */
export interface Metrics {
  /** Counts a search or a call: everything that is audited is measured. */
  recordEntry(entry: AuditEntry): void
  /** How many tools were eligible when a list or search was last answered for a project. */
  eligibleTools(projectId: string, count: number): void
  observe(sources: MetricSources): void
  /** `GET /metrics` */
  answer(): Promise<PlainAnswer>
}

/** Figures in the text format of Prometheus. `processFigures` adds memory, CPU and event loop of the process. */
export class PrometheusMetrics implements Metrics {
  readonly #registry = new Registry()
  readonly #calls: Counter<'server' | 'outcome'>
  readonly #callSeconds: Histogram<'server'>
  readonly #searches: Counter<'answered_by' | 'degraded' | 'outcome'>
  readonly #searchSeconds: Histogram<'answered_by'>
  readonly #eligible: Gauge<'project'>
  #sources: MetricSources = { servers: () => [], toolCount: () => 0 }

  constructor({ processFigures = false }: { readonly processFigures?: boolean } = {}) {
    const registers = [this.#registry]
    this.#calls = new Counter({
      name: 'tooldex_calls_total',
      help: 'Tool calls, by server and outcome.',
      labelNames: ['server', 'outcome'],
      registers,
    })
    this.#callSeconds = new Histogram({
      name: 'tooldex_call_duration_seconds',
      help: 'Time from a tool call to its answer, the server included.',
      labelNames: ['server'],
      buckets: CALL_SECONDS,
      registers,
    })
    this.#searches = new Counter({
      name: 'tooldex_searches_total',
      help: 'Searches, by the strategy that answered.',
      labelNames: ['answered_by', 'degraded', 'outcome'],
      registers,
    })
    this.#searchSeconds = new Histogram({
      name: 'tooldex_search_duration_seconds',
      help: 'Time that a search took.',
      labelNames: ['answered_by'],
      buckets: SEARCH_SECONDS,
      registers,
    })
    this.#eligible = new Gauge({
      name: 'tooldex_eligible_tools',
      help: 'Tools that were eligible when last asked, by project.',
      labelNames: ['project'],
      registers,
    })
    this.#gaugesReadOnDemand(registers)
    if (processFigures) collectDefaultMetrics({ register: this.#registry })
  }

  recordEntry(entry: AuditEntry): void {
    const seconds = Math.max(0, entry.durationMs) / 1000
    if (entry.kind === 'call') {
      this.#calls.inc({ server: entry.serverId, outcome: entry.outcome })
      this.#callSeconds.observe({ server: entry.serverId }, seconds)
      return
    }
    const degraded = entry.degraded === undefined ? 'no' : 'yes'
    this.#searches.inc({ answered_by: entry.answeredBy, degraded, outcome: entry.outcome })
    this.#searchSeconds.observe({ answered_by: entry.answeredBy }, seconds)
  }

  eligibleTools(projectId: string, count: number): void {
    this.#eligible.set({ project: projectId }, count)
  }

  observe(sources: MetricSources): void {
    this.#sources = sources
  }

  async answer(): Promise<PlainAnswer> {
    return { status: 200, contentType: this.#registry.contentType, body: await this.#registry.metrics() }
  }

  #gaugesReadOnDemand(registers: Registry[]): void {
    const sources = (): MetricSources => this.#sources
    const byState = new Gauge({
      name: 'tooldex_servers',
      help: 'Servers, by state.',
      labelNames: ['state'],
      registers,
      collect: () => {
        const states = sources()
          .servers()
          .map(({ state }) => state)
        for (const state of STATES) byState.set({ state }, states.filter((each) => each === state).length)
      },
    })
    const restarts = new Gauge({
      name: 'tooldex_server_restarts',
      help: 'Restarts of a server since the gateway started.',
      labelNames: ['server'],
      registers,
      collect: () => {
        restarts.reset()
        for (const status of sources().servers()) restarts.set({ server: status.id }, status.restarts)
      },
    })
    const tools = new Gauge({
      name: 'tooldex_catalog_tools',
      help: 'Tools in the catalog.',
      registers,
      collect: () => {
        tools.set(sources().toolCount())
      },
    })
  }
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
