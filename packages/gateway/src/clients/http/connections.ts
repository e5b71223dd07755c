// Who holds a connection. A flood of them must neither keep clients out nor cost more than was said beforehand, whichever
// way their requests are read.

import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { GatewayError } from '../../errors.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import { replyMessage } from '../mcp/json-rpc.ts'
import { type DownstreamLog, gatewayFailure } from '../mcp/rpc-errors.ts'

/** What became of connections, counted since the start. */
export interface ConnectionCounts {
  readonly open: number
  /** Answered 503 and closed: there were as many as there may be. */
  readonly refused: number
  /** Closed to make room: nobody had shown a token on them. */
  readonly gaveWay: number
  /** Closed because nobody read what was sent. */
  readonly unread: number
}

/** What connections are counted and judged with. */
export interface ConnectionParts {
  readonly limits: Pick<ConnectionLimits, 'maxConnections' | 'maxConnectionsPerAddress' | 'unreadTimeoutMs'>
  readonly log: Pick<DownstreamLog, 'warn'>
  /** Milliseconds of any clock that does not go back. */
  readonly now: () => number
}

interface Held {
  readonly address: string
  isAnswering: boolean
  /** What was sent ahead: begins when what came before it is answered. */
  readonly ahead: (() => void)[]
  /** Bytes that had left when it was last looked at, and since when there were no more of them. */
  sent: number
  stuckSince: number | undefined
}

/** Clients send one after the other, or few ahead; whoever sends so many before it has an answer wants something else. */
const MOST_AHEAD = 1_000
/** As long as this a refused client may take to read why. */
const LINGER_MS = 500
/** Refusals on their way; beyond it connections are closed without a word. */
const MOST_LINGERING = 100
const TELL_AGAIN_MS = 60_000
/** What is written in one go counts as read when all of it is: a slow reader gets a millisecond more for each of these. */
const BYTES_PER_MS = 16

/** Puts the limits before whatever takes connections now. */
export function connectionsBefore(server: Server, parts: ConnectionParts): Connections {
  const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  const connections = new Connections(parts)
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (connections.take(socket)) listeners.forEach((listener) => listener.call(server, socket))
  })
  return connections
}

/** Every connection that there is. */
export class Connections {
  readonly #parts: ConnectionParts
  readonly #held = new Map<object, Held>()
  readonly #perAddress = new Map<string, number>()
  /** Those that nobody has shown a token on, oldest first. */
  readonly #strangers = new Set<Socket>()
  readonly #counts = { refused: 0, gaveWay: 0, unread: 0 }
  #lingering = 0
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(parts: ConnectionParts) {
    this.#parts = parts
  }

  get counts(): ConnectionCounts {
    return { open: this.#held.size, ...this.#counts }
  }

  /**
   * Takes a new connection; false = it was refused. Where there is no room, the oldest on which nobody has shown a token
   * gives way: a flood of strangers pushes out itself, and clients still come in.
   */
  take(socket: Socket): boolean {
    const { maxConnections, maxConnectionsPerAddress: perAddress } = this.#parts.limits
    const address = socket.remoteAddress ?? ''
    const ofAddress = this.#perAddress.get(address) ?? 0
    if (perAddress !== undefined && ofAddress >= perAddress) return this.#refuse(socket, 'one address')
    if (this.#held.size >= maxConnections && !this.#makeRoom()) return this.#refuse(socket, 'all clients')
    this.#held.set(socket, { address, isAnswering: false, ahead: [], sent: 0, stuckSince: undefined })
    this.#perAddress.set(address, ofAddress + 1)
    this.#strangers.add(socket)
    socket.once('close', () => this.#forget(socket))
    return true
  }

  /** Somebody showed a good token: the connection does not give way. */
  proven(socket: object): void {
    this.#strangers.delete(socket as Socket)
  }

  /**
   * Serves a request when all before it on its connection are answered. Not before: an answer may be the last of its
   * connection, and then what was sent behind it must not happen, for its sender would never know that it did.
   */
  inTurn(socket: Socket, response: Pick<ServerResponse, 'once'>, serve: () => void): void {
    const held = this.#held.get(socket)
    if (held === undefined || held.ahead.length >= MOST_AHEAD) return void socket.destroy()
    const begin = (): void => {
      held.isAnswering = true
      response.once('close', () => {
        held.isAnswering = false
        const isLast = socket.destroyed || socket.writableEnded
        if (!isLast) held.ahead.shift()?.()
      })
      serve()
    }
    if (held.isAnswering) held.ahead.push(begin)
    else begin()
  }

  /** Closes those whose clients read nothing of what they were sent. To be called now and then. */
  sweep(): void {
    const now = this.#parts.now()
    for (const [socket, held] of this.#held as Map<Socket, Held>) {
      if (socket.writableLength === 0) held.stuckSince = undefined
      else this.#judgeReader(socket, held, now)
    }
  }

  #judgeReader(socket: Socket, held: Held, now: number): void {
    const sent = socket.bytesWritten - socket.writableLength
    if (held.stuckSince === undefined || sent !== held.sent) {
      held.sent = sent
      held.stuckSince = now
      return
    }
    if (now - held.stuckSince <= this.#parts.limits.unreadTimeoutMs + socket.writableLength / BYTES_PER_MS) return
    this.#counts.unread += 1
    socket.destroy()
  }

  #makeRoom(): boolean {
    for (const oldest of this.#strangers) {
      this.#counts.gaveWay += 1
      this.#forget(oldest)
      oldest.destroy()
      this.#tell('Connections that show no token give way to others')
      return true
    }
    return false
  }

  #forget(socket: Socket): void {
    const held = this.#held.get(socket)
    if (held === undefined) return
    this.#held.delete(socket)
    this.#strangers.delete(socket)
    const left = (this.#perAddress.get(held.address) ?? 1) - 1
    if (left === 0) this.#perAddress.delete(held.address)
    else this.#perAddress.set(held.address, left)
  }

  #refuse(socket: Socket, of: 'one address' | 'all clients'): false {
    this.#counts.refused += 1
    this.#tell('Connections are refused: there are as many as there may be')
    socket.on('error', ignore)
    if (this.#lingering >= MOST_LINGERING) {
      socket.destroy()
      return false
    }
    this.#lingering += 1
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
    socket.once('close', () => {
      this.#lingering -= 1
      clearTimeout(timer)
    })
    // Closing before what was sent is read would take the answer away from the client.
    socket.resume()
    socket.end(refusal(of))
    return false
  }

  #tell(message: string): void {
    const now = this.#parts.now()
    if (now - this.#toldAt < TELL_AGAIN_MS) return
    this.#toldAt = now
    this.#parts.log.warn({ ...this.counts }, message)
  }
}

const RETRY_AFTER_SECONDS = 5

function refusal(of: 'one address' | 'all clients'): string {
  const error = new GatewayError('CONNECTION_REFUSED', {
    reason: `${of} may have no more`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    remedy: 'Close some, or try again soon; listen.limits says how many there may be',
  })
  const text = JSON.stringify(replyMessage(null, { error: gatewayFailure(error) }))
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

function ignore(): void {
  // It is gone, which is what was wanted.
}
