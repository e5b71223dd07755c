/** The collector that traces are sent to. */
export interface TracingConfig {
  /** Takes OTLP over HTTP in JSON. From the environment it may not even be a URL. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

/** Facts about a span. Names, kinds and counts; never arguments, queries or results. */
export type SpanFacts = Readonly<Record<string, string | number>>

/** Something that is being done. */
export interface Span {
  /** The `_meta` with which others are asked to do part of it. */
  onward(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** @param outcome as in audit entries: `ok`, or what went wrong */
  end(outcome: string, facts?: SpanFacts): void
}

/** Tells a collector what is done on behalf of whom, where one is configured. */
export interface Tracing {
  /** @param meta the client's `_meta`, which may name the span that this one is part of */
  begin(name: string, meta: Readonly<Record<string, unknown>>, facts: SpanFacts): Span
}

const UNSEEN: Span = { onward: (meta) => meta, end: () => {} }

/** Tells nobody. What a client says of its trace travels on as it is. */
export const NO_TRACING: Tracing = { begin: () => UNSEEN }
