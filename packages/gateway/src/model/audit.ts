/** Durable record of who searched or called what. Never arguments, never results. */
export type AuditEntry = AuditCommon & (SearchEntry | CallEntry)

interface AuditCommon {
  readonly at: number
  readonly requestId: string
  readonly tokenId: string
  readonly projectId: string
  readonly endpointId: string
  readonly durationMs: number
  /** `ok` (also where the answer asks for input), `tool-error` (the server's own isError result), or one of our codes. */
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
  /** Empty, like the key, where the call named no tool that the caller may use. */
  readonly serverId: string
  readonly toolKey: string
  readonly requestBytes: number
  readonly resultBytes: number
}

/** Takes entries without keeping the request waiting. */
export interface AuditLog {
  record(entry: AuditEntry): void
}

/** An entry as it is kept, with its place in time. */
export type StoredAuditEntry = AuditEntry & { readonly id: string }

/** Which entries; all that are given must hold. */
export interface AuditFilter {
  readonly kind?: 'search' | 'call'
  readonly tokenId?: string
  readonly projectId?: string
  readonly endpointId?: string
  readonly serverId?: string
  readonly toolKey?: string
  readonly requestId?: string
  /** `ok`, a code, or `error` for everything that is not `ok`. */
  readonly outcome?: string
  /** Epoch milliseconds, inclusive and exclusive. */
  readonly from?: number
  readonly until?: number
}

/** Entries, newest first. Fewer than were asked for, even none, where finding more would take long. */
export interface AuditPage {
  readonly entries: readonly StoredAuditEntry[]
  /** Goes on where this page ends; absent on the last one. Belongs to its filter. */
  readonly nextCursor?: string
}

/** Sums over a stretch of time. */
export interface AuditSums {
  readonly from: number
  readonly searches: number
  readonly calls: number
  readonly errors: number
}

/** Where audit entries are kept. */
export interface AuditRepository {
  /** All of them or none; a batch of the same id once, however often it is sent. */
  append(entries: readonly AuditEntry[], batchId?: string): Promise<void>
  /** @throws GatewayError REQUEST_INVALID for a cursor of another filter or of nobody's making. */
  page(filter: AuditFilter, options: { readonly limit: number; readonly cursor?: string }): Promise<AuditPage>
  /** Everything that fits, oldest first, without holding it all in memory. */
  stream(filter: AuditFilter): AsyncIterable<StoredAuditEntry>
  /** Sums in steps of `stepMs`, for charts. */
  sums(filter: AuditFilter, stepMs: number): Promise<readonly AuditSums[]>
  /** Removes what is older than `before`, and the oldest beyond `maxEntries`, in small portions. */
  prune(limits: { readonly before?: number; readonly maxEntries?: number }): Promise<{ readonly removed: number }>
}
