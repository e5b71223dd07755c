import { connect, type Socket } from 'node:net'
import type { Cancellation } from '../protocol/cancellation.ts'
import { BodyDecoder } from './body-decoder.ts'
import { HttpBody } from './http-body.ts'
import { brokenOff, malformed } from './malformed.ts'
import { parseHead, type ResponseHead } from './response-head.ts'

const HEAD_END = '\r\n\r\n'
const MOST_HEAD_BYTES = 65_536
const EMPTY: Buffer = Buffer.alloc(0)
const READ_BYTES = 65_536
/** Tells a peer that is gone without a word from one that is silent. */
const PROBE_AFTER_MS = 30_000

/** What a request came back with; the body may still be coming. */
export interface HttpAnswer extends Pick<ResponseHead, 'status' | 'statusText' | 'headers'> {
  readonly body: HttpBody
}

interface Exchange {
  readonly resolve: (answer: HttpAnswer) => void
  readonly reject: (error: Error) => void
  readonly cancellation: Cancellation | undefined
}

/** A head, and the bytes that it came as, with the empty line. */
interface KnownHead {
  readonly bytes: Buffer
  readonly head: ResponseHead
}

/** One connection to a server without TLS, for one request at a time. */
export class HttpConnection {
  readonly #socket: Socket
  readonly #onChange: (connection: HttpConnection) => void
  /** Who stops reading in the middle has no use for the rest, and nobody else may have it. */
  readonly #breakOff = (): void => this.#fail(brokenOff())
  /** The request whose answer has not begun yet. */
  #exchange: Exchange | undefined
  #head: ResponseHead | undefined
  #decoder: BodyDecoder | undefined
  #body: HttpBody | undefined
  #unread = EMPTY
  /** Servers say the same again and again. */
  #lastHead: KnownHead | undefined
  #usableUntil = 0

  /** @param onChange told when the connection can carry another request, and when it is gone */
  constructor(host: string, port: number, onChange: (connection: HttpConnection) => void) {
    this.#onChange = onChange
    // Into one buffer, again and again: a new one with every read is what Node's streams would make.
    const callback = (length: number, bytes: Uint8Array): boolean => {
      this.#receive(Buffer.copyBytesFrom(bytes, 0, length))
      return true
    }
    const onread = { buffer: Buffer.allocUnsafeSlow(READ_BYTES), callback }
    const keptAlive = { keepAlive: true, keepAliveInitialDelay: PROBE_AFTER_MS }
    this.#socket = connect({ host, port, noDelay: true, ...keptAlive, onread })
    this.#socket.on('error', (error) => this.#fail(error))
    this.#socket.once('close', () => this.#closed())
  }

  /** Whether it can carry a request now. */
  get isFree(): boolean {
    if (this.#exchange !== undefined || this.#head !== undefined) return false
    return this.#usableUntil > performance.now() && this.#socket.writable
  }

  get isGone(): boolean {
    return this.#socket.destroyed
  }

  /** Sends the text of a request. Resolves when the head of its answer is there. */
  send(request: string, cancellation?: Cancellation): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#exchange = { resolve, reject, cancellation }
      this.#socket.write(request)
      cancellation?.tell((reason) => this.#fail(reason))
    })
  }

  /** Breaks it off; what is under way fails with the reason. */
  destroy(reason: Error): void {
    this.#fail(reason)
  }

  #receive(bytes: Buffer): void {
    try {
      if (this.#exchange === undefined && this.#decoder === undefined) throw malformed('nothing was asked')
      const rest = this.#decoder === undefined ? this.#readHead(bytes) : this.#decoder.add(bytes)
      if (this.#decoder?.isDone === true) this.#finish(rest)
    } catch (error) {
      this.#fail(error as Error)
    }
  }

  /** @returns what lies behind the answer */
  #readHead(bytes: Buffer): Buffer {
    const known = this.#lastHead
    if (known !== undefined && this.#unread.length === 0 && beginsWith(bytes, known.bytes)) {
      return this.#begin(known.head, bytes.subarray(known.bytes.length))
    }
    const all = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes])
    const end = all.indexOf(HEAD_END)
    if (end < 0) {
      if (all.length > MOST_HEAD_BYTES) throw malformed('its head is too long')
      this.#unread = all
      return EMPTY
    }
    this.#unread = EMPTY
    const head = parseHead(all.toString('latin1', 0, end))
    const begin = end + HEAD_END.length
    // Such as 100 and 103: the answer proper is yet to come.
    if (head.status < 200) return this.#readHead(all.subarray(begin))
    this.#lastHead = { bytes: Buffer.copyBytesFrom(all, 0, begin), head }
    return this.#begin(head, all.subarray(begin))
  }

  #begin(head: ResponseHead, rest: Buffer): Buffer {
    const body = new HttpBody(this.#breakOff)
    const { status, statusText, headers } = head
    this.#head = head
    this.#body = body
    this.#decoder = new BodyDecoder(head.framing, body)
    const exchange = this.#exchange
    this.#exchange = undefined
    exchange?.cancellation?.tell(() => body.cancel())
    exchange?.resolve({ status, statusText, headers, body })
    return this.#decoder.add(rest)
  }

  #finish(rest: Buffer): void {
    const { keepAliveMs = 0 } = this.#head ?? {}
    const body = this.#body
    this.#head = this.#body = this.#decoder = undefined
    if (keepAliveMs > 0 && rest.length === 0) {
      this.#usableUntil = performance.now() + keepAliveMs
      this.#onChange(this)
    } else this.#socket.destroy()
    body?.finish()
  }

  #closed(): void {
    if (this.#head?.framing.kind === 'close') this.#finish(EMPTY)
    this.#fail(brokenOff())
    this.#onChange(this)
  }

  #fail(error: Error): void {
    const [exchange, body] = [this.#exchange, this.#body]
    this.#exchange = this.#body = this.#decoder = this.#head = undefined
    this.#usableUntil = 0
    this.#socket.destroy()
    exchange?.reject(error)
    body?.finish(error)
  }
}

function beginsWith(bytes: Buffer, beginning: Buffer): boolean {
  const { length } = beginning
  return bytes.length >= length && bytes.compare(beginning, 0, length, 0, length) === 0
}
