import type { ServerOptions } from 'node:http'

/** How many connections there may be, and how long each may keep us waiting. The same for every way in. */
export interface ConnectionLimits {
  /** At a time, of all clients. */
  readonly maxConnections: number
  /** At a time, of one address; absent = as many as there may be at all. */
  readonly maxConnectionsPerAddress?: number | undefined
  /** From the first byte of a request, or the beginning of its connection, to the end of its headers. */
  readonly headTimeoutMs: number
  /** From the first byte of a request to its last. */
  readonly requestTimeoutMs: number
  /** Between two requests. */
  readonly keepAliveMs: number
  /** For which a client may read nothing of what it was sent. */
  readonly unreadTimeoutMs: number
  /** Of one request. */
  readonly maxBodyBytes: number
}

/** What holds unless the configuration says otherwise. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 10_000,
  headTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 60_000,
  unreadTimeoutMs: 60_000,
  maxBodyBytes: 4 * 1024 * 1024,
}

/** As much of a head as the lean entry takes, too. */
const MOST_HEAD_BYTES = 16_384
const LOOK_AGAIN_MS = 1_000

/** The limits as Node's server knows them. */
export function patience({ headTimeoutMs, requestTimeoutMs, keepAliveMs }: ConnectionLimits): ServerOptions {
  return {
    maxHeaderSize: MOST_HEAD_BYTES,
    headersTimeout: Math.min(headTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: LOOK_AGAIN_MS,
  }
}
