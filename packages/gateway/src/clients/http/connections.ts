import type { Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { GatewayError } from '../../errors.ts'
import { replyMessage } from '../mcp/json-rpc.ts'
import { type ClientLog, gatewayFailure } from '../mcp/rpc-errors.ts'

/** How many connections may be open, and how long each may keep the gateway waiting. */
export interface ConnectionLimits {
  /** At a time, of all clients. */
  readonly maxConnections: number
  /** At a time, of one address; absent = as many as `maxConnections`. */
  readonly maxConnectionsPerAddress?: number | undefined
  /** From the first byte of a request, or the beginning of its connection, to the end of its headers. */
  readonly headTimeoutMs: number
  /** From the first byte of a request to its last. */
  readonly requestTimeoutMs: number
  /** Between two requests. */
  readonly keepAliveMs: number
  /** Without a client reading any byte that was sent to it. */
  readonly unreadTimeoutMs: number
  /** Of one request. */
  readonly maxBodyBytes: number
}

/** The defaults of the configuration. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 10_000,
  headTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveMs: 60_000,
  unreadTimeoutMs: 60_000,
  maxBodyBytes: 4 * 1024 * 1024,
}

/** Node closes all expired connections of one check at once; frequent checks keep a flood of them from blocking other requests. */
const CHECK_MS = 100

/** The limits that Node's server keeps itself. */
export function serverOptions({ headTimeoutMs, requestTimeoutMs, keepAliveMs }: ConnectionLimits): ServerOptions {
  return {
    maxHeaderSize: 16_384,
    headersTimeout: Math.min(headTimeoutMs, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: CHECK_MS,
  }
}

/** Open connections, and those that were closed since the start. */
export interface ConnectionCounts {
  readonly open: number
  /** Refused because a limit was reached. */
  readonly refused: number
  /** Evicted to make room: no token was shown on them. */
  readonly evicted: number
  /** Closed because the client did not read. */
  readonly unread: number
}

/** What the connections of a server are limited by. */
export interface ConnectionParts {
  readonly limits: Pick<ConnectionLimits, 'maxConnections' | 'maxConnectionsPerAddress' | 'unreadTimeoutMs'>
  readonly log: Pick<ClientLog, 'warn'>
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Whether a connection is of a trusted proxy, which carries requests of many addresses. None is by default. */
  readonly isProxy?: (socket: Socket) => boolean
}

interface Connection {
  /** Absent for a trusted proxy: its requests count, each for its client. */
  readonly address: string | undefined
  isAnswering: boolean
  /** Pipelined requests that wait for the answers to those before them. */
  readonly pipelined: (() => void)[]
  /** Bytes that had left at the last sweep, and since when no more have. */
  sentBytes: number
  stuckSince: number | undefined
}

/** Real clients send a few requests ahead of their answers; more is abuse. */
const MAX_PIPELINED = 1_000
/** For a refused client to read the answer. */
const LINGER_MS = 500
/** Refusals in transit. Beyond them, Node drops connections without an answer. */
const MAX_LINGERING = 100
const LOG_INTERVAL_MS = 60_000
/** A slow reader gets a millisecond more for each of these bytes, because a write counts as read only as a whole. */
const BYTES_PER_MS = 16

/** The connections of a server: counted, limited, and evicted while no token was shown on them. */
export class Connections {
  readonly #parts: ConnectionParts
  readonly #connections = new Map<Socket, Connection>()
  readonly #perAddress = new Map<string, number>()
  /** Oldest first. */
  readonly #unauthenticated = new Set<Socket>()
  readonly #counts = { refused: 0, evicted: 0, unread: 0 }
  #loggedAt = Number.NEGATIVE_INFINITY

  constructor(server: Server, parts: ConnectionParts) {
    this.#parts = parts
    server.maxConnections = parts.limits.maxConnections + MAX_LINGERING
    server.on('connection', (socket: Socket) => this.#accept(socket))
    server.on('drop', () => this.#countRefusal())
  }

  get counts(): ConnectionCounts {
    return { open: this.#connections.size, ...this.#counts }
  }

  /** A valid token was shown: the connection is not evicted any more. */
  authenticated(socket: Socket): void {
    this.#unauthenticated.delete(socket)
  }

  /**
   * Counts a request that came through a trusted proxy as a connection of its client, until it is answered.
   * @throws GatewayError CONNECTION_REFUSED
   */
  hold(response: Pick<ServerResponse, 'on'>, socket: Socket, address: string): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined || connection.address !== undefined) return
    if (!this.#hasRoom(address, this.#parts.limits.maxConnectionsPerAddress)) {
      this.#countRefusal()
      throw refusalError('one address')
    }
    this.#count(address, 1)
    response.on('close', () => this.#count(address, -1))
  }

  /**
   * Serves the requests of a connection one after another. Node would begin pipelined requests at once; if an answer
   * closes the connection, the requests behind it must not run, because their sender would never learn that they did.
   */
  inTurn(socket: Socket, response: Pick<ServerResponse, 'on'>, serve: () => void): void {
    const connection = this.#connections.get(socket)
    // The last answer of the connection is on its way: it was refused, or an earlier request closed it.
    if (connection === undefined || socket.writableEnded) return
    if (connection.pipelined.length >= MAX_PIPELINED) return void socket.destroy()
    const begin = (): void => {
      connection.isAnswering = true
      response.on('close', () => {
        connection.isAnswering = false
        const isLast = socket.destroyed || socket.writableEnded
        if (!isLast) connection.pipelined.shift()?.()
      })
      serve()
    }
    if (connection.isAnswering) connection.pipelined.push(begin)
    else begin()
  }

  /** Closes connections whose clients do not read. To be called regularly. */
  sweep(): void {
    const now = this.#parts.now()
    for (const [socket, connection] of this.#connections) {
      if (socket.writableLength === 0) connection.stuckSince = undefined
      else this.#checkReader(socket, connection, now)
    }
  }

  #checkReader(socket: Socket, connection: Connection, now: number): void {
    const sentBytes = socket.bytesWritten - socket.writableLength
    if (connection.stuckSince === undefined || sentBytes !== connection.sentBytes) {
      connection.sentBytes = sentBytes
      connection.stuckSince = now
      return
    }
    const patienceMs = this.#parts.limits.unreadTimeoutMs + socket.writableLength / BYTES_PER_MS
    if (now - connection.stuckSince <= patienceMs) return
    this.#counts.unread += 1
    socket.destroy()
  }

  #accept(socket: Socket): void {
    const { maxConnections, maxConnectionsPerAddress: perAddress } = this.#parts.limits
    const isProxy = this.#parts.isProxy?.(socket) === true
    const address = isProxy ? undefined : (socket.remoteAddress ?? '')
    if (!this.#hasRoom(address, perAddress)) return this.#refuse(socket, 'one address')
    if (this.#connections.size >= maxConnections && !this.#evictOldest()) return this.#refuse(socket, 'all clients')
    const connection = { address, isAnswering: false, pipelined: [], sentBytes: 0, stuckSince: undefined }
    this.#connections.set(socket, connection)
    this.#count(address, 1)
    this.#unauthenticated.add(socket)
    socket.once('close', () => this.#forget(socket))
  }

  #evictOldest(): boolean {
    const [oldest] = this.#unauthenticated
    if (oldest === undefined) return false
    this.#counts.evicted += 1
    this.#forget(oldest)
    oldest.destroy()
    this.#warn('Unauthenticated connections are evicted: the limit of connections is reached')
    return true
  }

  #forget(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    this.#connections.delete(socket)
    this.#unauthenticated.delete(socket)
    this.#count(connection.address, -1)
  }

  #hasRoom(address: string | undefined, most: number | undefined): boolean {
    return address === undefined || most === undefined || (this.#perAddress.get(address) ?? 0) < most
  }

  #count(address: string | undefined, more: 1 | -1): void {
    if (address === undefined) return
    const open = (this.#perAddress.get(address) ?? 0) + more
    if (open <= 0) this.#perAddress.delete(address)
    else this.#perAddress.set(address, open)
  }

  #refuse(socket: Socket, limited: 'one address' | 'all clients'): void {
    this.#countRefusal()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
    socket.once('close', () => clearTimeout(timer))
    socket.end(refusal(limited))
  }

  #countRefusal(): void {
    this.#counts.refused += 1
    this.#warn('Connections are refused: the limit of connections is reached')
  }

  #warn(message: string): void {
    const now = this.#parts.now()
    if (now - this.#loggedAt < LOG_INTERVAL_MS) return
    this.#loggedAt = now
    this.#parts.log.warn({ ...this.counts }, message)
  }
}

const RETRY_AFTER_SECONDS = 5

function refusalError(limited: 'one address' | 'all clients'): GatewayError {
  return new GatewayError('CONNECTION_REFUSED', {
    reason: `${limited} may have no more`,
    retryAfter: RETRY_AFTER_SECONDS,
    remedy: 'Close some, or try again soon; listen.limits says how many there may be',
  })
}

function refusal(limited: 'one address' | 'all clients'): string {
  const text = JSON.stringify(replyMessage(null, { error: gatewayFailure(refusalError(limited)) }))
  return [
    'HTTP/1.1 503 Service Unavailable',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(text)}`,
    `retry-after: ${RETRY_AFTER_SECONDS}`,
    'Connection: close',
    '',
    text,
  ].join('\r\n')
}
