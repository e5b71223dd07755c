import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { BodyDecoder } from './body-decoder.ts'
import { parseHead, type ResponseHead } from './http-head.ts'

const HEAD_END = '\r\n\r\n'
const MOST_HEAD_BYTES = 65_536
/** A body that is longer, or of unknown length, is read as it comes. */
const WHOLE_BODY_BYTES = 262_144

const EMPTY: Buffer = Buffer.alloc(0)

/** An answer: whole where it is short, else as a stream. */
export interface WireAnswer extends ResponseHead {
  readonly body: Buffer | Readable
}

interface Exchange {
  readonly resolve: (answer: WireAnswer) => void
  readonly reject: (error: Error) => void
}

/** One connection to a server, for one request at a time. */
export class HttpConnection {
  readonly #socket: Socket
  readonly #onFree: (connection: HttpConnection) => void
  #exchange: Exchange | undefined
  #head: ResponseHead | undefined
  #decoder: BodyDecoder | undefined
  #stream: Readable | undefined
  #unread = EMPTY
  #pieces: Buffer[] = []
  #usableUntil = 0

  /** @param onFree told when the connection can carry another request, and when it is gone */
  constructor(host: string, port: number, onFree: (connection: HttpConnection) => void) {
    this.#onFree = onFree
    this.#socket = connect({ host, port, noDelay: true })
    this.#socket.on('data', (bytes) => this.#receive(bytes))
    this.#socket.once('error', (error) => this.#end(error))
    this.#socket.once('close', () => this.#closed())
  }

  /** Whether it can carry a request now. */
  get isFree(): boolean {
    return this.#exchange === undefined && this.#usableUntil > performance.now() && this.#socket.writable
  }

  get isGone(): boolean {
    return this.#socket.destroyed
  }

  /** Sends the text of a request. Resolves with the head of its answer, and the body if that is short. */
  send(request: string): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      this.#exchange = { resolve, reject }
      this.#socket.write(request)
    })
  }

  /** Breaks it off; what is under way fails with the reason. */
  destroy(reason: Error): void {
    this.#end(reason)
  }

  #receive(bytes: Buffer): void {
    try {
      if (this.#exchange === undefined && this.#decoder === undefined) throw new SyntaxError('Nothing was asked')
      const rest = this.#decoder === undefined ? this.#readHead(bytes) : this.#decoder.add(bytes)
      if (this.#decoder?.isDone === true) this.#finish(rest)
    } catch (error) {
      this.#end(error as Error)
    }
  }

  /** @returns what lies behind the answer */
  #readHead(bytes: Buffer): Buffer {
    const all = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes])
    const end = all.indexOf(HEAD_END)
    if (end < 0) {
      if (all.length > MOST_HEAD_BYTES) throw new SyntaxError('The head of the answer is too long')
      this.#unread = all
      return EMPTY
    }
    this.#unread = EMPTY
    const head = parseHead(all.toString('latin1', 0, end))
    const rest = all.subarray(end + HEAD_END.length)
    // Such as 100 and 103: the answer proper is yet to come.
    if (head.statusCode < 200) return this.#readHead(rest)
    return this.#begin(head, rest)
  }

  #begin(head: ResponseHead, rest: Buffer): Buffer {
    this.#head = head
    const { framing } = head
    const isWhole = framing.kind === 'length' && framing.bytes <= WHOLE_BODY_BYTES
    if (!isWhole) this.#openStream(head)
    this.#decoder = new BodyDecoder(framing, (data) => {
      if (isWhole) this.#pieces.push(data)
      else if (this.#stream?.push(data) === false) this.#socket.pause()
    })
    return this.#decoder.add(rest)
  }

  #openStream(head: ResponseHead): void {
    const body = new Readable({
      read: () => void this.#socket.resume(),
      destroy: (error, done) => {
        // Who stops reading in the middle has no use for the rest, and nobody else may have it.
        if (this.#stream === body) this.#socket.destroy()
        done(error)
      },
    })
    this.#stream = body
    this.#exchange?.resolve({ ...head, body })
    this.#exchange = undefined
  }

  #finish(rest: Buffer): void {
    const { keepAliveMs = 0 } = this.#head ?? {}
    const [head, exchange, stream, pieces] = [this.#head, this.#exchange, this.#stream, this.#pieces]
    this.#head = this.#exchange = this.#stream = this.#decoder = undefined
    this.#pieces = []
    if (keepAliveMs > 0 && rest.length === 0) {
      this.#usableUntil = performance.now() + keepAliveMs
      this.#socket.resume()
      this.#onFree(this)
    } else this.#socket.destroy()
    stream?.push(null)
    if (head === undefined || stream !== undefined) return
    const body = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)
    exchange?.resolve({ ...head, body })
  }

  #closed(): void {
    if (this.#head?.framing.kind === 'close') this.#finish(EMPTY)
    this.#end(Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' }))
    this.#onFree(this)
  }

  #end(error: Error): void {
    const [exchange, stream] = [this.#exchange, this.#stream]
    this.#exchange = this.#stream = this.#decoder = this.#head = undefined
    this.#usableUntil = 0
    this.#socket.destroy()
    exchange?.reject(error)
    stream?.destroy(error)
  }
}
