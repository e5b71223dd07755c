import type { Socket } from 'node:net'
import type { ResponseSink } from './exchange.ts'
import { http } from '../../node-http.ts'

/** What a response needs of its connection. */
export interface LeanResponseParts {
  readonly socket: Socket
  /** The time, as a header says it. */
  readonly date: () => string
  /** Seconds that the connection is kept for another request. */
  readonly keepAliveSeconds: number
  /** Told when everything is on its way. */
  readonly onFinished: () => void
}

type ResponseEvent = 'close' | 'drain'

interface Listening {
  readonly event: ResponseEvent
  readonly listener: () => void
}

type Headers = Readonly<Record<string, string | number>>

const NOT_IN_A_HEADER = /[^\t\x20-\x7e\x80-\xff]/
/** A chunk behind one of these would be read as the beginning of the next answer. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304])
const LAST_CHUNK = '0\r\n\r\n'

/**
 * A response to a lean request, as Node would write it, in one write wherever it is known at once. It has few
 * listeners, who all listen once; an emitter of Node's for them would be a hundredth of what a call costs.
 */
export class LeanResponse implements ResponseSink {
  readonly #parts: LeanResponseParts
  #listening: Listening[] = []
  /** The head, while it waits for what goes with it. */
  #head = ''
  #isChunked = false
  headersSent = false
  destroyed = false
  writableEnded = false
  writableFinished = false

  constructor(parts: LeanResponseParts) {
    this.#parts = parts
  }

  get writableLength(): number {
    return this.#parts.socket.writableLength
  }

  writeHead(status: number, headers: Headers = {}): this {
    this.headersSent = true
    this.#isChunked = !('content-length' in headers) && !WITHOUT_BODY.has(status)
    let text = `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? 'unknown'}\r\n`
    for (const name in headers) {
      const value = String(headers[name])
      if (NOT_IN_A_HEADER.test(value)) throw new TypeError(`The header ${name} has a character that no header has`)
      text += `${name}: ${value}\r\n`
    }
    const { date, keepAliveSeconds } = this.#parts
    text += `Date: ${date()}\r\n`
    if (!('connection' in headers)) text += `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n`
    this.#head = this.#isChunked ? `${text}Transfer-Encoding: chunked\r\n\r\n` : `${text}\r\n`
    return this
  }

  flushHeaders(): void {
    if (this.#head !== '') this.#send('')
  }

  write(piece: string | Uint8Array): boolean {
    const text = typeof piece === 'string' ? piece : Buffer.from(piece).toString('latin1')
    if (text === '') return true
    const encoding = typeof piece === 'string' ? 'utf8' : 'latin1'
    return this.#send(
      this.#isChunked ? `${Buffer.byteLength(text, encoding).toString(16)}\r\n${text}\r\n` : text,
      encoding,
    )
  }

  end(text = ''): void {
    if (this.writableEnded) return
    if (!this.headersSent) this.writeHead(200, { 'content-length': Buffer.byteLength(text) })
    this.writableEnded = true
    const chunk = this.#isChunked && text !== '' ? `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` : text
    this.#send(this.#isChunked ? `${chunk}${LAST_CHUNK}` : chunk, 'utf8', (error) => {
      if (error === undefined || error === null) this.#finish()
    })
  }

  once(event: ResponseEvent, listener: () => void): this {
    this.#listening.push({ event, listener })
    return this
  }

  off(event: ResponseEvent, listener: () => void): this {
    this.#listening = this.#listening.filter((each) => each.event !== event || each.listener !== listener)
    return this
  }

  /** Tells those who listen now, each once. Whether there was anybody, as of emitters. */
  emit(event: ResponseEvent): boolean {
    const all = this.#listening
    this.#listening = event === 'close' ? [] : all.filter((each) => each.event !== event)
    let isHeard = false
    for (const each of all) {
      if (each.event !== event) continue
      isHeard = true
      each.listener()
    }
    return isHeard
  }

  destroy(): void {
    this.#parts.socket.destroy()
  }

  /** The connection is gone. */
  lost(): void {
    if (this.destroyed || this.writableFinished) return
    this.destroyed = true
    this.emit('close')
  }

  #send(text: string, encoding: 'utf8' | 'latin1' = 'utf8', done?: (error?: Error | null) => void): boolean {
    const all = this.#head === '' ? text : this.#head + text
    this.#head = ''
    return this.#parts.socket.write(all, encoding, done)
  }

  #finish(): void {
    this.writableFinished = true
    this.emit('close')
    this.#parts.onFinished()
  }
}
