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
  /** Milliseconds that the head of a request may take. */
  readonly headMs: number
  /** Milliseconds that a connection is kept between two requests. */
  readonly keepAliveMs: number
  /** Milliseconds of any clock that does not go back. */
  readonly now: () => number
}

/** What a connection needs of the entry that it came through. */
export interface LeanSurroundings {
  readonly gone: (connection: LeanConnection) => void
  readonly date: () => string
  readonly isClosing: () => boolean
  /** Makes room for bytes that wait, or gives it back; false = all connections together keep too many. */
  readonly keep: (bytes: number) => boolean
}

/** A body whose rest takes as long is for Node: there a token is asked for before more of it is read. */
const SLOW_BODY_MS = 3_000
/** A client may count from when it has read the answer. */
const GRACE_MS = 1_000
/** Sent ahead; beyond it nothing more is read before the answer is written. */
const MOST_AHEAD = 16_384
const BROKEN_OFF = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'
const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'

/** A connection whose requests are plain, as far as they came. */
export class LeanConnection {
  readonly #socket: Socket
  readonly #parts: LeanEntryParts
  readonly #around: LeanSurroundings
  readonly #reader: LeanReader
  /** Half a head; or, while an answer is under way, what was sent ahead. */
  #held: Buffer | undefined
  /** A request whose body is on its way: room for all of it, filled so far. */
  #partial: { readonly bytes: Buffer; filled: number } | undefined
  #response: LeanResponse | undefined
  #keptBytes = 0
  #isNew = true
  /** When it began to be waited for what it waits for. */
  #since: number

  constructor(socket: Socket, parts: LeanEntryParts, around: LeanSurroundings) {
    this.#socket = socket
    this.#parts = parts
    this.#around = around
    this.#reader = new LeanReader(socket)
    this.#since = parts.now()
    socket.on('data', this.#onData)
    socket.on('drain', this.#onDrain)
    socket.on('end', this.#onEnd)
    socket.on('error', ignore)
    socket.on('close', this.#onClose)
  }

  /** Whether it is waited for longer than it may take. */
  get isOverdue(): boolean {
    if (this.#response !== undefined || this.#socket.destroyed) return false
    const { headMs, keepAliveMs, now } = this.#parts
    const waits = now() - this.#since
    if (this.#partial !== undefined) return waits > SLOW_BODY_MS
    return waits > (this.#isNew || this.#held !== undefined ? headMs : keepAliveMs + GRACE_MS)
  }

  /** Lets go of it, if it still is. */
  judge(): void {
    if (!this.isOverdue) return
    if (this.#partial !== undefined) this.#handOver(this.#partial.bytes.subarray(0, this.#partial.filled))
    else if (this.#isNew || this.#held !== undefined) this.#endWith(TOO_SLOW)
    else this.#socket.destroy()
  }

  endIfIdle(): void {
    if (this.#response === undefined) this.#socket.destroy()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#partial !== undefined) {
      this.#fill(this.#partial, bytes)
      return
    }
    const all = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes])
    if (this.#response === undefined) this.#read(all)
    else {
      // One after the other: who sends ahead is answered by Node, when it is the turn of that. Until then it is read on
      // for a while, for else nobody would notice that the client leaves.
      this.#held = all
      if (all.length > MOST_AHEAD) this.#socket.pause()
    }
  }

  #read(all: Buffer): void {
    const request = this.#reader.read(all)
    if (request === 'more') this.#waitForHead(all)
    else if (typeof request === 'number') this.#waitForBody(all, request)
    else if (request !== undefined && this.#parts.takes(request.head)) this.#serve(request)
    else this.#handOver(all)
  }

  #waitForHead(bytes: Buffer): void {
    if (!this.#keep(bytes.length)) return this.#handOver(bytes)
    if (this.#held === undefined && !this.#isNew) this.#since = this.#parts.now()
    this.#held = bytes
  }

  #waitForBody(begun: Buffer, whole: number): void {
    if (!this.#keep(whole)) return this.#handOver(begun)
    const bytes = Buffer.allocUnsafeSlow(whole)
    this.#partial = { bytes, filled: begun.copy(bytes) }
    this.#held = undefined
    this.#since = this.#parts.now()
  }

  #fill(partial: { readonly bytes: Buffer; filled: number }, more: Buffer): void {
    if (partial.filled + more.length > partial.bytes.length) {
      this.#handOver(Buffer.concat([partial.bytes.subarray(0, partial.filled), more]))
      return
    }
    partial.filled += more.copy(partial.bytes, partial.filled)
    if (partial.filled < partial.bytes.length) return
    this.#partial = undefined
    this.#read(partial.bytes)
  }

  readonly #onDrain = (): void => void this.#response?.emit('drain')

  /** A client that has nothing more to say is not waited for, as with Node. */
  readonly #onEnd = (): void => {
    const isBrokenOff = this.#partial !== undefined || (this.#held !== undefined && this.#response === undefined)
    if (isBrokenOff) this.#socket.end(BROKEN_OFF)
    else this.#socket.end()
  }

  readonly #onClose = (): void => {
    this.#forget()
    this.#response?.lost()
  }

  #serve(request: LeanRequest): void {
    this.#keep(0)
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
    this.#since = this.#parts.now()
    if (this.#around.isClosing()) this.#socket.destroySoon()
    else if (this.#held !== undefined) this.#handOver(this.#held)
  }

  #endWith(text: string): void {
    this.#socket.end(text)
    this.#socket.destroySoon()
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket
    this.#forget()
    socket.off('data', this.#onData)
    socket.off('drain', this.#onDrain)
    socket.off('end', this.#onEnd)
    socket.off('close', this.#onClose)
    if (bytes.length > 0) socket.unshift(bytes)
    this.#parts.toNode(socket)
    socket.off('error', ignore)
    socket.resume()
  }

  #forget(): void {
    this.#keep(0)
    this.#around.gone(this)
  }

  #keep(bytes: number): boolean {
    if (bytes === this.#keptBytes) return true
    const isKept = this.#around.keep(bytes - this.#keptBytes)
    if (isKept) this.#keptBytes = bytes
    return isKept
  }
}

function ignore(): void {
  // What happened to a connection is told when it closes.
}
