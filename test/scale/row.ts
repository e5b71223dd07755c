/** A measured promise. */
export interface Row {
  readonly ok: boolean
  readonly figure: number
  readonly limit: number
  /** The unit, and how it was measured. */
  readonly detail: string
}

/** How long a run takes. */
export interface ScaleOptions {
  readonly soakSeconds: number
  /** How long PostgreSQL is stopped, and then frozen. */
  readonly outageSeconds: number
  /** How long a gateway keeps an idle connection. */
  readonly keepAliveSeconds: number
  /** Between an event and the next one, or a look at what it left. */
  readonly settleSeconds: number
}

/** Of `npm run scale`. */
export const WHOLE: ScaleOptions = { soakSeconds: 600, outageSeconds: 10, keepAliveSeconds: 60, settleSeconds: 3 }
/** Of `npm test`. */
export const SHORT: ScaleOptions = { soakSeconds: 3, outageSeconds: 1, keepAliveSeconds: 1, settleSeconds: 1 }

/** A set-up, and the rows that are measured on it. */
export interface Scenario {
  readonly rows: readonly string[]
  /** Measures its rows, those that are wanted at least. */
  readonly run: (wanted: ReadonlySet<string>, options: ScaleOptions) => AsyncIterable<readonly [name: string, row: Row]>
}

/** A row that is kept while the figure is at most the limit. */
export function atMost(figure: number, limit: number, detail: string): Row {
  return { ok: figure <= limit, figure: rounded(figure), limit, detail }
}

/** The value below which 99 of 100 lie. */
export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

const rounded = (figure: number): number => Math.round(figure * 10) / 10
