import { malformed } from './malformed.ts'
import type { BodyFraming } from './response-head.ts'

const NEWLINE = 0x0a
/** A chunk's size in hexadecimal, and extensions that nobody uses. */
const MOST_LINE_BYTES = 1_024
const CHUNK_SIZE = /^([0-9a-f]{1,12})[ \t]*(?:;.*)?$/i

/** Where the bytes of a body go. */
export interface BodySink {
  push(data: Buffer): void
}

/** Takes the bytes of a body out of what comes over a connection. */
export class BodyDecoder {
  readonly #framing: BodyFraming
  readonly #sink: BodySink
  /** Bytes that are left of the body, or of the chunk. */
  #left: number
  #state: 'size' | 'data' | 'data-end' | 'trailer' = 'size'
  #line = ''
  #isDone: boolean

  constructor(framing: BodyFraming, sink: BodySink) {
    this.#framing = framing
    this.#sink = sink
    this.#left = framing.kind === 'length' ? framing.bytes : 0
    this.#isDone = framing.kind === 'length' && framing.bytes === 0
  }

  /** Whether the body is complete. One that ends with the connection never is by itself. */
  get isDone(): boolean {
    return this.#isDone
  }

  /** @returns what lies behind the body. @throws for chunks that are none */
  add(bytes: Buffer): Buffer {
    if (this.#framing.kind === 'close') {
      if (bytes.length > 0) this.#sink.push(bytes)
      return bytes.subarray(bytes.length)
    }
    let rest = bytes
    while (rest.length > 0 && !this.#isDone) {
      rest = this.#framing.kind === 'length' || this.#state === 'data' ? this.#take(rest) : this.#readLine(rest)
    }
    return rest
  }

  #take(bytes: Buffer): Buffer {
    const taken = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left)
    this.#left -= taken.length
    this.#sink.push(taken)
    if (this.#left === 0) {
      if (this.#framing.kind === 'length') this.#isDone = true
      else this.#state = 'data-end'
    }
    return bytes.subarray(taken.length)
  }

  #readLine(bytes: Buffer): Buffer {
    const end = bytes.indexOf(NEWLINE)
    this.#line += bytes.toString('latin1', 0, end < 0 ? bytes.length : end)
    if (this.#line.length > MOST_LINE_BYTES) throw malformed('a chunk has no size')
    if (end < 0) return bytes.subarray(bytes.length)
    const line = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line
    this.#line = ''
    this.#endLine(line)
    return bytes.subarray(end + 1)
  }

  #endLine(line: string): void {
    switch (this.#state) {
      case 'data-end':
        if (line !== '') throw malformed('a chunk is longer than it says')
        this.#state = 'size'
        return
      case 'trailer':
        this.#isDone = line === ''
        return
      default: {
        const size = CHUNK_SIZE.exec(line)?.[1]
        if (size === undefined) throw malformed('a chunk has no size')
        this.#left = Number.parseInt(size, 16)
        this.#state = this.#left === 0 ? 'trailer' : 'data'
      }
    }
  }
}
