import type { TraceContext } from './trace-context.ts'
import type { SpanFacts } from './tracing.ts'

/** A span that is over. */
export interface EndedSpan {
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
export interface Traced {
  readonly serviceName: string
  readonly version: string
}

const KIND_SERVER = 2
const STATUS_ERROR = 2
/** Outcomes that are what was configured or asked for. */
const FINE: ReadonlySet<string> = new Set(['ok', 'SEARCH_OFF'])

/** The body of an OTLP/HTTP request in JSON: https://opentelemetry.io/docs/specs/otlp/ */
export function otlpBody(spans: readonly EndedSpan[], { serviceName, version }: Traced): string {
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
