import type { RequestId } from '@modelcontextprotocol/client'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const COMMA = 0x2c
const SPACE = 0x20
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
/** Relevant keys and ids are short. */
const MOST_KEPT = 256
const MOST_KEYS = 16
const LONG = 64

/** The keys and the id of a JSON message, without its contents. */
export interface Envelope {
  readonly keys: ReadonlySet<string>
  readonly id: RequestId | undefined
}

/**
 * Reads the top-level keys and the `id` of one JSON object as it arrives: for messages that are too long to keep or too
 * broken to parse. Exact for valid JSON, in constant memory, about two nanoseconds a byte.
 */
export class EnvelopeScanner {
  readonly #keys = new Set<string>()
  #id: RequestId | undefined
  #depth = 0
  #inString = false
  /** The last byte was a backslash in a string. */
  #isEscaped = false
  #key: string | undefined
  /** The bytes of a top-level key, or of the value of `id`. */
  #kept: number[] = []

  envelope(): Envelope {
    return { keys: this.#keys, id: this.#id }
  }

  /** @returns the offset just behind the object's last brace, or -1 while it is open. Not to be called after that. */
  add(bytes: Buffer): number {
    // Local variables, because the loop reads every byte of very long messages.
    const { length } = bytes
    let depth = this.#depth
    let inString = this.#inString
    let at = 0
    if (this.#isEscaped && length > 0) {
      if (depth === 1) this.#keep(bytes, 0, 1)
      this.#isEscaped = false
      at = 1
    }
    while (at < length) {
      if (inString) {
        const end = endOfString(bytes, at)
        if (depth === 1) this.#keep(bytes, at, Math.min(end + 1, length))
        inString = end >= length
        this.#isEscaped = end > length
        at = end + 1
        continue
      }
      const byte = bytes[at] ?? 0
      if (depth === 1) this.#token(bytes, at)
      at++
      if (byte === QUOTE) inString = depth > 0
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
      else if ((byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) && depth > 0 && --depth === 0) return at
    }
    this.#depth = depth
    this.#inString = inString
    return -1
  }

  /** One byte of the outermost object, outside of strings. */
  #token(bytes: Buffer, at: number): void {
    const byte = bytes[at] ?? 0
    if (byte === COLON && this.#key === undefined) this.#endKey()
    else if (byte === COMMA || byte === CLOSE_OBJECT) this.#endValue()
    else if (byte > SPACE) this.#keep(bytes, at, at + 1)
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    if (this.#key !== undefined && this.#key !== 'id') return
    for (let at = from; at < to && this.#kept.length < MOST_KEPT; at++) this.#kept.push(bytes[at] ?? 0)
  }

  #endKey(): void {
    const key = this.#takeKept()
    this.#key = typeof key === 'string' ? key : ''
    if (this.#keys.size < MOST_KEYS) this.#keys.add(this.#key)
  }

  #endValue(): void {
    const value = this.#takeKept()
    if (this.#key === 'id' && (typeof value === 'string' || typeof value === 'number')) this.#id = value
    this.#key = undefined
  }

  #takeKept(): unknown {
    const text = Buffer.from(this.#kept).toString('utf8')
    this.#kept = []
    try {
      return JSON.parse(text)
    } catch {
      return undefined
    }
  }
}

/**
 * Finds the end of a JSON string, of which the bytes from an offset on belong to it.
 * @returns the offset of the closing quote; the length when it is not here, one more when the last byte is a backslash
 */
export function endOfString(bytes: Buffer, from: number): number {
  const { length } = bytes
  const near = Math.min(from + LONG, length)
  let at = from
  while (at < near) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    at += byte === BACKSLASH ? 2 : 1
  }
  return at < length ? endOfLongString(bytes, at) : at
}

/** In long stretches of plain text the system's own search is many times faster than looking at each byte. */
function endOfLongString(bytes: Buffer, from: number): number {
  const { length } = bytes
  let at = from
  let nextQuote = -1
  let nextBackslash = -1
  for (let plain = 0; at < length; plain++) {
    const byte = bytes[at]
    if (byte === QUOTE) return at
    if (byte === BACKSLASH) {
      at += 2
      plain = 0
    } else if (plain < LONG) at++
    else {
      if (nextQuote < at) nextQuote = indexOrEnd(bytes, QUOTE, at)
      if (nextBackslash < at) nextBackslash = indexOrEnd(bytes, BACKSLASH, at)
      at = Math.min(nextQuote, nextBackslash)
    }
  }
  return at
}

function indexOrEnd(bytes: Buffer, byte: number, from: number): number {
  const index = bytes.indexOf(byte, from)
  return index === -1 ? bytes.length : index
}
