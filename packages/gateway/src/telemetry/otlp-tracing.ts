import type { Logger } from './logger.ts'
import { childOf, type TraceContext, traceContextIn, withTraceContext } from './trace-context.ts'
import type { Span, SpanFacts, Tracing } from './tracing.ts'

/** The collaborators of tracing. */
interface OtlpTracingParts extends Traced {
  /** Takes OTLP over HTTP in JSON: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly logger: Pick<Logger, 'warn' | 'info'>
  readonly fetch: typeof fetch
  /** Spans are sent at the latest after this long. Default 5,000. */
  readonly delayMs?: number
}

/** So many waiting spans are sent at once. */
const MANY_WAITING = 512
/** The most spans that wait, so that an unavailable collector costs no memory. */
const MOST_WAITING = 2_048
const DELAY_MS = 5_000
const PATIENCE_MS = 10_000
const GOODBYE_MS = 1_000

/** Sends spans to a collector in batches, in the background. Undeliverable spans are dropped. */
export class OtlpTracing implements Tracing {
  readonly #parts: OtlpTracingParts
  readonly #waiting: EndedSpan[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  #dropped = 0
  #isAway = false

  constructor(parts: OtlpTracingParts) {
    this.#parts = parts
  }

  begin(name: string, meta: Readonly<Record<string, unknown>>, facts: SpanFacts): Span {
    const parent = traceContextIn(meta)
    const context = childOf(parent)
    const [startedAt, since] = [Date.now(), performance.now()]
    return {
      onward: (given) => withTraceContext(given, context),
      end: (outcome, more = {}) => {
        if (!context.isSampled) return
        const durationMs = performance.now() - since
        const ended = { name, context, parentId: parent?.spanId, startedAt, durationMs, outcome }
        this.#add({ ...ended, facts: { ...facts, ...more } })
      },
    }
  }

  /** Sends the waiting spans, within a short time limit. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    let limit: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, GOODBYE_MS)
    })
    const sent = (this.#sending ?? Promise.resolve()).then(() => this.#send(GOODBYE_MS))
    await Promise.race([sent, late]).finally(() => clearTimeout(limit))
  }

  #add(span: EndedSpan): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped++
      return
    }
    this.#waiting.push(span)
    if (this.#waiting.length >= MANY_WAITING) this.#sendNow()
    else this.#sendLater()
  }

  #sendLater(): void {
    this.#timer ??= setTimeout(() => this.#sendNow(), this.#parts.delayMs ?? DELAY_MS).unref()
  }

  /** One request at a time; spans that end meanwhile wait for the next. */
  #sendNow(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending ??= this.#send(PATIENCE_MS).finally(() => {
      this.#sending = undefined
      if (this.#waiting.length > 0) this.#sendLater()
    })
  }

  async #send(patienceMs: number): Promise<void> {
    const spans = this.#waiting.splice(0)
    if (spans.length === 0) return
    const { url, headers, fetch } = this.#parts
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: otlpBody(spans, this.#parts),
        signal: AbortSignal.timeout(patienceMs),
        // Headers may contain a key, which must not be sent to another address.
        redirect: 'error',
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`it answered HTTP ${response.status}`)
      this.#delivered()
    } catch (error) {
      this.#failed(spans.length, error)
    }
  }

  #delivered(): void {
    if (this.#isAway) this.#parts.logger.info({ dropped: this.#dropped }, 'traces are delivered again')
    this.#isAway = false
    this.#dropped = 0
  }

  /** Logged once per outage. */
  #failed(count: number, error: unknown): void {
    this.#dropped += count
    if (this.#isAway) return
    this.#isAway = true
    const reason = reasonOf(error)
    this.#parts.logger.warn(
      { reason },
      'traces cannot be delivered and are dropped until they can; check the OTLP endpoint',
    )
  }
}

/** The innermost cause; `fetch failed` alone explains nothing. */
function reasonOf(error: unknown): string {
  let innermost = error
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause
  return innermost instanceof Error ? innermost.message : String(innermost)
}

/** A finished span. */
interface EndedSpan {
  readonly name: string
  readonly context: TraceContext
  readonly parentId: string | undefined
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly durationMs: number
  readonly outcome: string
  readonly facts: SpanFacts
}

/** The program that the spans are of. */
interface Traced {
  readonly serviceName: string
  readonly version: string
}

const KIND_SERVER = 2
const STATUS_ERROR = 2
/** Outcomes that are no errors. */
const FINE: ReadonlySet<string> = new Set(['ok', 'SEARCH_OFF'])

/** The body of an OTLP/HTTP request in JSON: https://opentelemetry.io/docs/specs/otlp/ */
function otlpBody(spans: readonly EndedSpan[], { serviceName, version }: Traced): string {
  const resource = { attributes: attributes({ 'service.name': serviceName, 'service.version': version }) }
  const scopeSpans = [{ scope: { name: 'tooldex', version }, spans: spans.map(otlpSpan) }]
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })
}

function otlpSpan({ name, context, parentId, startedAt, durationMs, outcome, facts }: EndedSpan) {
  const start = BigInt(Math.round(startedAt)) * 1_000_000n
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    ...(context.state !== undefined && { traceState: context.state }),
    name,
    kind: KIND_SERVER,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(start + BigInt(Math.round(durationMs * 1e6))),
    attributes: attributes({ ...facts, 'tooldex.outcome': outcome }),
    status: FINE.has(outcome) ? {} : { code: STATUS_ERROR, message: outcome },
  }
}

function attributes(facts: SpanFacts) {
  return Object.entries(facts).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(Math.round(value)) },
  }))
}
