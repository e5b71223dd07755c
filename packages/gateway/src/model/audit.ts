/** A durable record of a search or a call, without arguments and results. */
export type AuditEntry = AuditCommon & (SearchEntry | CallEntry)

interface AuditCommon {
  readonly at: number
  readonly requestId: string
  readonly tokenId: string
  readonly projectId: string
  readonly endpointId: string
  readonly durationMs: number
  /** `ok` (also if the answer asks for input), `tool-error` (an isError result of the server), or an error code. */
  readonly outcome: string
}

interface SearchEntry {
  readonly kind: 'search'
  readonly queryCount: number
  readonly resultKeys: readonly string[]
  readonly answeredBy: string
  readonly degraded?: string
}

interface CallEntry {
  readonly kind: 'call'
  /** Empty, like `toolKey`, if the caller may not use the tool that it named. */
  readonly serverId: string
  readonly toolKey: string
  readonly requestBytes: number
  readonly resultBytes: number
}

/** Records entries without blocking the request. */
export interface AuditLog {
  record(entry: AuditEntry): void
}

/** A stored entry. Ids grow with time. */
export type StoredAuditEntry = AuditEntry & { readonly id: string }

/** Selects entries; all given conditions must match. */
export interface AuditFilter {
  readonly kind?: 'search' | 'call'
  readonly tokenId?: string
  readonly projectId?: string
  readonly endpointId?: string
  readonly serverId?: string
  readonly toolKey?: string
  readonly requestId?: string
  /** `ok`, a code, or `error` for every outcome but `ok`. */
  readonly outcome?: string
  /** Epoch milliseconds; `from` is inclusive, `until` exclusive. */
  readonly from?: number
  readonly until?: number
}

/** A page of entries, newest first. May have fewer entries than requested, even none, if finding more takes long. */
export interface AuditPage {
  readonly entries: readonly StoredAuditEntry[]
  /** The cursor of the next page; absent on the last one. Valid for the same filter only. */
  readonly nextCursor?: string
}

/** Sums over one time step. */
export interface AuditSums {
  readonly from: number
  readonly searches: number
  readonly calls: number
  readonly errors: number
}

/** The storage of audit entries. */
export interface AuditRepository {
  /** Appends atomically. A batch that is sent again under the same id is stored once. */
  append(entries: readonly AuditEntry[], batchId?: string): Promise<void>
  /** @throws GatewayError REQUEST_INVALID for a malformed cursor or one of another filter */
  page(filter: AuditFilter, options: { readonly limit: number; readonly cursor?: string }): Promise<AuditPage>
  /** All matching entries, oldest first, without holding them in memory. */
  stream(filter: AuditFilter): AsyncIterable<StoredAuditEntry>
  /** Sums in steps of `stepMs`, for charts. */
  sums(filter: AuditFilter, stepMs: number): Promise<readonly AuditSums[]>
  /** Removes entries older than `before`, and the oldest beyond `maxEntries`, in small transactions. */
  prune(limits: { readonly before?: number; readonly maxEntries?: number }): Promise<{ readonly removed: number }>
}
