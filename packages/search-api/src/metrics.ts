import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const TOOLS = [10, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000]

/** A search that was answered. */
export interface AnsweredSearch {
  readonly answeredBy: string
  readonly isDegraded: boolean
  readonly isCached: boolean
  readonly tools: number
  readonly seconds: number
}

/** The metrics of a service, in the text format of Prometheus, without any query, tool or token. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Counter({
    name: 'tooldex_search_api_requests_total',
    help: 'Requests, by status.',
    labelNames: ['status'],
    registers: [this.#registry],
  })
  readonly #searches = new Counter({
    name: 'tooldex_search_api_searches_total',
    help: 'Searches that were answered, by who ranked.',
    labelNames: ['answered_by', 'degraded', 'cached'],
    registers: [this.#registry],
  })
  readonly #seconds = new Histogram({
    name: 'tooldex_search_api_duration_seconds',
    help: 'From the arrival of a search to its answer.',
    buckets: SECONDS,
    registers: [this.#registry],
  })
  readonly #tools = new Histogram({
    name: 'tooldex_search_api_tools',
    help: 'Tools in a search.',
    buckets: TOOLS,
    registers: [this.#registry],
  })
  readonly #withProcess: boolean
  #hasProcess = false

  constructor(withProcess: boolean) {
    this.#withProcess = withProcess
  }

  answered(status: number): void {
    this.#requests.inc({ status: String(status) })
  }

  searched({ answeredBy, isDegraded, isCached, tools, seconds }: AnsweredSearch): void {
    this.#searches.inc({ answered_by: answeredBy, degraded: String(isDegraded), cached: String(isCached) })
    this.#seconds.observe(seconds)
    this.#tools.observe(tools)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  async text(): Promise<string> {
    if (this.#withProcess && !this.#hasProcess) collectDefaultMetrics({ register: this.#registry })
    this.#hasProcess = true
    return this.#registry.metrics()
  }
}
