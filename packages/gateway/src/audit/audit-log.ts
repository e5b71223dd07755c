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
