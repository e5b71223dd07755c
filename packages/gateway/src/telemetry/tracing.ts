/** The collector that traces are sent to. */
export interface TracingConfig {
  /** Takes OTLP over HTTP in JSON. From the environment it may not even be a URL. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

/** Facts about a span. Names, kinds and counts; never arguments, queries or results. */
export type SpanFacts = Readonly<Record<string, string | number>>

/** An operation in progress. */
export interface Span {
  /** The `_meta` of a request that is part of the operation. */
  onward(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** @param outcome as in audit entries: `ok`, or an error code */
  end(outcome: string, facts?: SpanFacts): void
}

/** Reports spans to a collector, if one is configured. */
export interface Tracing {
  /** @param meta the client's `_meta`, which may name the span that this one is part of */
  begin(name: string, meta: Readonly<Record<string, unknown>>, facts: SpanFacts): Span
}

const UNSEEN: Span = { onward: (meta) => meta, end: () => {} }

/** Reports nothing. A client's trace context is passed on unchanged. */
export const NO_TRACING: Tracing = { begin: () => UNSEEN }
