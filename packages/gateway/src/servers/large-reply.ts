import { isRecord } from './is-record.ts'
import { JsonChecker } from './json-checker.ts'
import { RawJson } from './raw-json.ts'
import { Utf8Checker } from './utf8-checker.ts'

/** In bytes: what is larger is checked as it comes, so that nobody waits while it is read at once. */
export const LARGE_REPLY = 250_000

/** What of a tool's result only the client looks into, and what it has to be. */
const LEFT_RAW = new Map([
  ['content', 'array'],
  ['structuredContent', 'object'],
])
const LONGEST_NAME = 32
const NULL = Buffer.from('null')

interface Span {
  readonly name: string
  readonly start: number
  end: number
}

/**
 * Reads a large reply as its bytes pass by. The content of a tool's result is checked and left as it is, everything around it
 * is read. What is no such reply, or is odd in any way, is left to those who read it whole.
 */
export class LargeReply {
  readonly #checker = new JsonChecker({
    opened: (depth, offset, isObject) => this.#opened(depth, offset, isObject),
    closed: (depth, offset) => this.#closed(depth, offset),
    key: (depth, offset, isEnd) => this.#key(depth, offset, isEnd),
  })
  readonly #utf8 = new Utf8Checker()
  readonly #spans: Span[] = []
  readonly #names = new Set<string>()
  #open: Span | undefined
  #isInResult = false
  #isOdd = false
  /** The bytes of the key that is passing by, and where it began. */
  #keptFrom: number | undefined
  #kept: Buffer[] = []
  #name = ''
  #piece: Buffer = Buffer.alloc(0)
  #before = 0

  add(piece: Buffer): void {
    if (this.#isOdd) return
    this.#piece = piece
    this.#checker.add(piece)
    this.#utf8.add(piece)
    if (this.#keptFrom !== undefined) this.#keep(this.#before + piece.length)
    this.#before += piece.length
    this.#isOdd ||= this.#checker.isWrong
  }

  /** The message; undefined where it has to be read whole. @param pieces all that was added, as it was added or cut elsewhere */
  message(pieces: readonly Buffer[]): Readonly<Record<string, unknown>> | undefined {
    if (this.#isOdd || !this.#checker.isDone || !this.#utf8.isValid || this.#spans.length === 0) return undefined
    if (this.#spans.reduce((sum, { start, end }) => sum + end - start, 0) <= LARGE_REPLY) return undefined
    const bytes = new Bytes(pieces)
    const around: Buffer[] = []
    let from = 0
    for (const { start, end } of this.#spans) {
      around.push(...bytes.between(from, start), NULL)
      from = end
    }
    around.push(...bytes.between(from, this.#before))
    const message: unknown = JSON.parse(Buffer.concat(around).toString('utf8'))
    if (!isRecord(message) || !isRecord(message['result'])) return undefined
    const result = message['result']
    for (const { name, start, end } of this.#spans) result[name] = new RawJson(bytes.between(start, end))
    return message
  }

  #opened(depth: number, offset: number, isObject: boolean): void {
    if (depth === 0) this.#isOdd ||= !isObject
    else if (depth === 1) this.#isInResult = isObject && this.#name === 'result'
    else if (depth === 2 && this.#isInResult && LEFT_RAW.get(this.#name) === (isObject ? 'object' : 'array')) {
      this.#open = { name: this.#name, start: offset, end: offset }
    }
  }

  #closed(depth: number, offset: number): void {
    if (depth === 1) this.#isInResult = false
    if (depth !== 2 || this.#open === undefined) return
    this.#open.end = offset
    this.#spans.push(this.#open)
    this.#open = undefined
  }

  #key(depth: number, offset: number, isEnd: boolean): void {
    const isOfInterest = depth === 1 || (depth === 2 && this.#isInResult)
    if (!isOfInterest) return
    if (!isEnd) {
      this.#keptFrom = offset
      return
    }
    this.#keep(offset)
    this.#keptFrom = undefined
    this.#name = Buffer.concat(this.#kept).toString('latin1')
    this.#kept = []
    // Of a name that comes twice the last one counts, and one that is escaped may be any name.
    const path = `${depth} ${this.#name}`
    this.#isOdd ||= this.#names.has(path) || this.#name.includes('\\')
    this.#names.add(path)
  }

  /** Keeps what of the key is in this piece. */
  #keep(until: number): void {
    const from = Math.max(this.#keptFrom ?? until, this.#before)
    const bytes = this.#piece.subarray(from - this.#before, until - this.#before)
    this.#kept.push(Buffer.from(bytes))
    this.#keptFrom = until
    this.#isOdd ||= this.#kept.reduce((sum, { length }) => sum + length, 0) > LONGEST_NAME
  }
}

/** Bytes in pieces, to be cut at any place. */
class Bytes {
  readonly #pieces: readonly Buffer[]

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = pieces
  }

  between(start: number, end: number): Buffer[] {
    const found: Buffer[] = []
    let before = 0
    for (const piece of this.#pieces) {
      const from = Math.max(0, start - before)
      const to = Math.min(piece.length, end - before)
      if (from < to) found.push(piece.subarray(from, to))
      before += piece.length
      if (before >= end) break
    }
    return found
  }
}
