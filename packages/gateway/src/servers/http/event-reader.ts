/** One event of a stream. */
export interface StreamEvent {
  readonly id: string | undefined
  /** `message` where the server names none. */
  readonly type: string
  readonly data: string
}

/** Who reads a stream. */
export interface EventWatch {
  readonly event: (event: StreamEvent) => void
  /** An event is larger than it may be; it is skipped. */
  readonly tooLarge: () => void
  /** How long to wait before the stream is opened again. */
  readonly retry?: (ms: number) => void
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const BYTE_ORDER_MARK = '\uFEFF'

/** Reads server-sent events out of bytes, and holds at most one event of at most `maxBytes`. */
export class EventReader {
  readonly #maxBytes: number
  readonly #watch: EventWatch
  #unended: Buffer[] = []
  #bytes = 0
  #isSkipping = false
  #isFirstLine = true
  #data: string[] = []
  #id: string | undefined
  #type = ''

  constructor(maxBytes: number, watch: EventWatch) {
    this.#maxBytes = maxBytes
    this.#watch = watch
  }

  /** Takes what came. Lines end with a newline, with or without a return before it. */
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
    this.#data = []
    this.#unended = []
    this.#watch.tooLarge()
  }

  /** What is skipped is not kept, except that an empty line must be told from the end of a long one. */
  #keep(part: Buffer): void {
    if (part.length === 0) return
    if (this.#isSkipping) this.#unended = [part.subarray(0, 1)]
    else this.#unended.push(part)
  }

  #endLine(last: Buffer): void {
    const before = this.#unended
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
    if (name === 'data') this.#data.push(value)
    else if (name === 'event') this.#type = value
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) this.#watch.retry?.(Number(value))
  }

  #endEvent(): void {
    const [data, id, type] = [this.#data, this.#id, this.#type]
    const isEvent = !this.#isSkipping && (data.length > 0 || id !== undefined)
    this.#data = []
    this.#id = undefined
    this.#type = ''
    this.#bytes = 0
    this.#isSkipping = false
    if (isEvent) this.#watch.event({ id, type: type === '' ? 'message' : type, data: data.join('\n') })
  }
}
