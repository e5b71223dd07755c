import { randomBytes } from 'node:crypto'

/** The W3C trace context of a span. */
export interface TraceContext {
  readonly traceId: string
  readonly spanId: string
  /** Whether the trace is recorded, as its origin decided. */
  readonly isSampled: boolean
  /** Vendor data, passed on unread. */
  readonly state?: string
}

const PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/
const LONGEST_STATE = 512

/** The context in a client's `_meta`; undefined if there is no valid one. */
export function traceContextIn(meta: Readonly<Record<string, unknown>>): TraceContext | undefined {
  const { traceparent, tracestate: state } = meta
  const found = typeof traceparent === 'string' ? PARENT.exec(traceparent) : null
  const [, traceId, spanId, flags] = found ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1
  const hasState = typeof state === 'string' && state !== '' && state.length <= LONGEST_STATE
  return { traceId, spanId, isSampled, ...(hasState && { state }) }
}

/** The context of a new span: in the trace of its parent, or in one of its own. */
export function childOf(parent: TraceContext | undefined): TraceContext {
  const spanId = randomBytes(8).toString('hex')
  return parent === undefined
    ? { traceId: randomBytes(16).toString('hex'), spanId, isSampled: true }
    : { ...parent, spanId }
}

/** The `_meta` of a request within the span, with the span's context. */
export function withTraceContext(
  meta: Readonly<Record<string, unknown>>,
  { traceId, spanId, isSampled, state }: TraceContext,
): Readonly<Record<string, unknown>> {
  const { traceparent: _, tracestate: __, ...rest } = meta
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
  return { ...rest, traceparent, ...(state !== undefined && { tracestate: state }) }
}
