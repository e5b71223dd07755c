import { type Envelope, EnvelopeScanner } from '../protocol/envelope-scanner.ts'
import { LARGE_REPLY, LargeReply } from '../protocol/large-reply.ts'

/** One event of a stream. */
export interface StreamEvent {
  readonly id: string | undefined
  /** `message` if the server names none. */
  readonly type: string
  readonly data: string
  /** Instead of the data of a large reply, which was read as it arrived. */
  readonly reply?: Reply | undefined
}

type Reply = Readonly<Record<string, unknown>>

/** Receives the events of a stream. */
export interface EventWatch {
  readonly event: (event: StreamEvent) => void
  /** An event crossed the limit; the rest of it is skipped. */
  readonly tooLarge?: () => void
  /** A skipped event ended: the envelope of the message in it. */
  readonly skipped?: (envelope: Envelope) => void
  /** How long to wait before reopening the stream. */
  readonly retry?: (ms: number) => void
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const BYTE_ORDER_MARK = '\uFEFF'
const DATA = Buffer.from('data:')

/** Parses server-sent events, and keeps at most one event of at most `maxBytes`. */
export class EventReader {
  readonly #maxBytes: number
  readonly #watch: EventWatch
  #unended: Buffer[] = []
  /** The length of the current line so far. */
  #lineBytes = 0
  #large: LargeReply | undefined
  #reply: Reply | undefined
  #bytes = 0
  #isSkipping = false
  /** Reads the envelope of an event that is skipped. */
  #scanner: EnvelopeScanner | undefined
  #isScanned = false
  #isFirstLine = true
  #data: string[] = []
  #id: string | undefined
  #type = ''

  constructor(maxBytes: number, watch: EventWatch) {
    this.#maxBytes = maxBytes
    this.#watch = watch
  }

  /** Adds bytes. Lines end with LF or CR LF. */
  add(piece: Buffer): void {
    let start = 0
    while (start < piece.length) {
      const newline = piece.indexOf(NEWLINE, start)
      const end = newline < 0 ? piece.length : newline
      this.#count(end - start)
      const part = piece.subarray(start, end)
      if (newline < 0) this.#keep(part)
      else this.#endLine(part)
      start = end + 1
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    if (this.#isSkipping || this.#bytes <= this.#maxBytes) return
    this.#isSkipping = true
    if (this.#watch.skipped !== undefined) {
      this.#scanner = new EnvelopeScanner()
      this.#isScanned = false
      for (const piece of [...this.#data.map((data) => Buffer.from(data)), ...this.#unended]) this.#scan(piece)
    }
    this.#large = this.#reply = undefined
    this.#data = []
    this.#unended = []
    this.#watch.tooLarge?.()
  }

  #scan(piece: Buffer): void {
    if (!this.#isScanned && this.#scanner !== undefined) this.#isScanned = this.#scanner.add(piece) >= 0
  }

  /** One byte of a skipped line is kept, to distinguish the end of a long line from an empty line. */
  #keep(part: Buffer): void {
    if (part.length === 0) return
    if (this.#isSkipping) {
      this.#scan(part)
      this.#unended = [part.subarray(0, 1)]
    } else {
      this.#unended.push(part)
      this.#check(part)
    }
  }

  /** A long line is checked as it arrives. */
  #check(part: Buffer): void {
    this.#lineBytes += part.length
    if (this.#lineBytes <= LARGE_REPLY) return
    const parts = this.#large === undefined ? dataIn(this.#unended) : [part]
    if (parts.length > 0) this.#large ??= new LargeReply()
    for (const each of parts) this.#large?.add(each)
  }

  /** @returns whether the line is a large reply, already read */
  #isReply(parts: readonly Buffer[], last: Buffer): boolean {
    const large = this.#large
    this.#large = undefined
    this.#lineBytes = 0
    if (large === undefined || this.#isSkipping || this.#data.length > 0 || this.#reply !== undefined) return false
    large.add(last)
    this.#reply = large.message(dataIn([...parts, last]))
    return this.#reply !== undefined
  }

  #endLine(last: Buffer): void {
    if (this.#isSkipping) this.#scan(last)
    const before = this.#unended
    if (this.#isReply(before, last)) {
      this.#unended = []
      this.#isFirstLine = false
      return
    }
    const bytes = before.length === 0 ? last : Buffer.concat([...before, last])
    if (before.length > 0) this.#unended = []
    const length = bytes[bytes.length - 1] === RETURN ? bytes.length - 1 : bytes.length
    if (length === 0) this.#endEvent()
    else if (!this.#isSkipping) this.#field(bytes.toString('utf8', 0, length))
    this.#isFirstLine = false
  }

  #field(text: string): void {
    const line = this.#isFirstLine && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') this.#addData(value)
    else if (name === 'event') this.#type = value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) this.#watch.retry?.(Number(value))
  }

  #addData(value: string): void {
    // The data has more lines, so the first one was not a whole reply.
    if (this.#reply !== undefined) this.#data.push(JSON.stringify(this.#reply))
    this.#reply = undefined
    this.#data.push(value)
  }

  #endEvent(): void {
    const [data, id, type, reply] = [this.#data, this.#id, this.#type, this.#reply]
    if (this.#scanner !== undefined) this.#watch.skipped?.(this.#scanner.envelope())
    const isEvent = !this.#isSkipping && (data.length > 0 || id !== undefined || reply !== undefined)
    this.#reply = this.#scanner = undefined
    this.#data = []
    this.#id = undefined
    this.#type = ''
    this.#bytes = 0
    this.#isSkipping = false
    const event = { id, type: type === '' ? 'message' : type, data: data.join('\n') }
    if (isEvent) this.#watch.event(reply === undefined ? event : { ...event, reply })
  }
}

/** The value of a `data:` line; empty for any other line. */
function dataIn(parts: readonly Buffer[]): readonly Buffer[] {
  const [first, ...others] = parts
  return first?.subarray(0, DATA.length).equals(DATA) === true ? [first.subarray(DATA.length), ...others] : []
}
