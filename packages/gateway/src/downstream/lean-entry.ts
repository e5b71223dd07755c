// The door for requests that are plain from their first byte to their last: read, answered and written without Node's
// HTTP server, which is most of what a small call costs. Whatever is not plain goes to it with its connection, for good.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type LeanHead, LeanReader, type LeanRequest } from './lean-request.ts'
import { LeanResponse } from './lean-response.ts'

/** What the door leads to. */
export interface LeanEntryParts {
  /** Whether requests like this are answered here. */
  readonly takes: (head: LeanHead) => boolean
  readonly serve: (request: LeanRequest, response: LeanResponse) => void
  /** Gives a connection to Node's HTTP server. What it has sent can be read from it again. */
  readonly toNode: (socket: Socket) => void
  /** Milliseconds that a connection is kept between two requests. */
  readonly keepAliveMs: number
  /** Milliseconds of any clock that does not go back. */
  readonly now: () => number
}

/** Puts the door in front of Node's own, which gets every connection that is not plain. */
export function leanEntryBefore(server: Server, parts: Omit<LeanEntryParts, 'toNode'>): LeanEntry {
  const listeners = server.listeners('connection') as ((this: Server, socket: Socket) => void)[]
  const toNode = (socket: Socket): void => listeners.forEach((listener) => listener.call(server, socket))
  const entry = new LeanEntry({ ...parts, toNode })
  server.removeAllListeners('connection')
  server.on('connection', (socket) => entry.take(socket))
  return entry
}

/** A connection from which nothing came for as long, or not all of it, is for Node to judge: it has limits for that. */
const SILENCE_MS = 3_000
/** A client may count from when it has read the answer. */
const GRACE_MS = 1_000
const BROKEN_OFF = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'

/** Connections as they come, until they turn out not to be plain. */
export class LeanEntry {
  readonly #parts: LeanEntryParts
  readonly #connections = new Set<LeanConnection>()
  #isClosing = false
  #date = ''
  #dateUntil = 0

  constructor(parts: LeanEntryParts) {
    this.#parts = parts
  }

  /** How many connections are here. */
  get size(): number {
    return this.#connections.size
  }

  /** Takes a new connection. */
  take(socket: Socket): void {
    const gone = (connection: LeanConnection): void => void this.#connections.delete(connection)
    const date = (): string => this.#dateText()
    this.#connections.add(new LeanConnection(socket, this.#parts, { gone, date, isClosing: () => this.#isClosing }))
  }

  /** Lets go of those that are silent for too long. To be called now and then. */
  sweep(): void {
    for (const connection of this.#connections) connection.sweep()
  }

  /** Ends every connection as soon as it has nothing open. */
  close(): void {
    this.#isClosing = true
    for (const connection of this.#connections) connection.endIfIdle()
  }

  /** Ends all that are left. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy()
  }

  /** Headers tell whole seconds. */
  #dateText(): string {
    const now = Date.now()
    if (now >= this.#dateUntil || now < this.#dateUntil - 1_000) {
      this.#date = new Date(now).toUTCString()
      this.#dateUntil = now - (now % 1_000) + 1_000
    }
    return this.#date
  }
}

interface Surroundings {
  readonly gone: (connection: LeanConnection) => void
  readonly date: () => string
  readonly isClosing: () => boolean
}

class LeanConnection {
  readonly #socket: Socket
  readonly #parts: LeanEntryParts
  readonly #around: Surroundings
  readonly #reader: LeanReader
  /** Bytes that came and are not answered: a request whose rest is to come, or what came while another was answered. */
  #held: Buffer | undefined
  #response: LeanResponse | undefined
  #isNew = true
  #silentSince: number

  constructor(socket: Socket, parts: LeanEntryParts, around: Surroundings) {
    this.#socket = socket
    this.#parts = parts
    this.#around = around
    this.#reader = new LeanReader(socket)
    this.#silentSince = parts.now()
    socket.on('data', this.#onData)
    socket.on('drain', this.#onDrain)
    socket.on('end', this.#onEnd)
    socket.on('error', ignore)
    socket.on('close', this.#onClose)
  }

  sweep(): void {
    if (this.#response !== undefined) return
    const silentMs = this.#parts.now() - this.#silentSince
    if (this.#isNew || this.#held !== undefined) {
      if (silentMs > SILENCE_MS) this.#handOver(this.#held)
    } else if (silentMs > this.#parts.keepAliveMs + GRACE_MS) this.#socket.destroy()
  }

  endIfIdle(): void {
    if (this.#response === undefined) this.#socket.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  readonly #onData = (bytes: Buffer): void => {
    const all = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes])
    if (this.#response !== undefined) {
      // One after the other: who sends ahead is answered by Node, when it is the turn of that.
      this.#held = all
      this.#socket.pause()
      return
    }
    const request = this.#reader.read(all)
    if (request === undefined) this.#handOver(all)
    else if (request === 'more') this.#wait(all)
    else if (this.#parts.takes(request.head)) this.#serve(request)
    else this.#handOver(all)
  }

  readonly #onDrain = (): void => void this.#response?.emit('drain')

  /** A client that has nothing more to say is not waited for, as with Node. */
  readonly #onEnd = (): void => {
    const isBrokenOff = this.#held !== undefined && this.#response === undefined
    if (isBrokenOff) this.#socket.end(BROKEN_OFF)
    else this.#socket.end()
  }

  readonly #onClose = (): void => {
    this.#around.gone(this)
    this.#response?.lost()
  }

  #wait(bytes: Buffer): void {
    if (this.#held === undefined) this.#silentSince = this.#parts.now()
    this.#held = bytes
  }

  #serve(request: LeanRequest): void {
    this.#held = undefined
    this.#isNew = false
    const { keepAliveMs, serve } = this.#parts
    this.#response = new LeanResponse({
      socket: this.#socket,
      date: this.#around.date,
      keepAliveSeconds: Math.floor(keepAliveMs / 1_000),
      onFinished: () => this.#answered(),
    })
    serve(request, this.#response)
  }

  #answered(): void {
    this.#response = undefined
    this.#silentSince = this.#parts.now()
    if (this.#around.isClosing()) this.#socket.destroySoon()
    else if (this.#held !== undefined) this.#handOver(this.#held)
  }

  #handOver(bytes: Buffer | undefined): void {
    const socket = this.#socket
    this.#around.gone(this)
    socket.off('data', this.#onData)
    socket.off('drain', this.#onDrain)
    socket.off('end', this.#onEnd)
    socket.off('close', this.#onClose)
    if (bytes !== undefined) socket.unshift(bytes)
    this.#parts.toNode(socket)
    socket.off('error', ignore)
    socket.resume()
  }
}

function ignore(): void {
  // What happened to a connection is told when it closes.
}
