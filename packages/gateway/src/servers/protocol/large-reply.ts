import type { RequestId } from '@modelcontextprotocol/client'
import { isRecord } from '@tooldex/http-kit/json'
import type { Envelope } from './envelope-scanner.ts'
import { JsonChecker } from './json-checker.ts'
import { RawJson } from './raw-json.ts'

/** In bytes: a larger reply is checked as it arrives, because parsing it at once would stall all other calls. */
export const LARGE_REPLY = 250_000

/** The parts of a tool's result that only clients read, and lists, which are read entry by entry; with their types. */
const LEFT_RAW = new Map([
  ['content', 'array'],
  ['structuredContent', 'object'],
  ...['tools', 'prompts', 'resources', 'resourceTemplates'].map((list) => [list, 'array'] as const),
])
const LONGEST_NAME = 32
const LONGEST_ID = 256
const MOST_NAMES = 64
const ID_VALUE = /^"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+(?:[.eE][\d.eE+-]*)?)\s*[,}]/
const NULL = Buffer.from('null')

interface Span {
  readonly name: string
  readonly start: number
  end: number
}

/**
 * Reads a large reply as it arrives. The content of a tool's result is checked and left raw; everything around it is parsed.
 * Any other message, and an unusual one, is left to JSON.parse.
 */
export class LargeReply {
  readonly #checker = new JsonChecker({
    opened: (depth, offset, isObject) => this.#opened(depth, offset, isObject),
    closed: (depth, offset) => this.#closed(depth, offset),
    key: (depth, offset, isEnd) => this.#key(depth, offset, isEnd),
  })
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true })
  #isUtf8 = true
  readonly #spans: Span[] = []
  readonly #topNames = new Set<string>()
  readonly #resultNames = new Set<string>()
  readonly #nameText = new Excerpt(LONGEST_NAME)
  readonly #idText = new Excerpt(LONGEST_ID)
  #id: RequestId | undefined
  #open: Span | undefined
  #isInResult = false
  #isUnusual = false
  #name = ''
  #bytes = 0

  /** The keys and the id of the outermost object so far. */
  get envelope(): Envelope {
    return { keys: this.#topNames, id: this.#id }
  }

  /** More bytes cannot change the envelope. */
  get isOver(): boolean {
    return this.#checker.isWrong || this.#checker.isDone
  }

  get isWrong(): boolean {
    return this.#checker.isWrong
  }

  add(piece: Buffer): void {
    if (this.#checker.isWrong) return
    for (const excerpt of [this.#nameText, this.#idText]) excerpt.enter(piece)
    this.#checker.add(piece)
    this.#isUtf8 &&= this.#decodes(piece)
    for (const excerpt of [this.#nameText, this.#idText]) excerpt.leave()
    this.#bytes += piece.length
  }

  /** The message; undefined if it has to be parsed whole. @param pieces all bytes that were added, in pieces of any size */
  message(pieces: readonly Buffer[]): Readonly<Record<string, unknown>> | undefined {
    if (this.#isUnusual || !this.#checker.isDone || !this.#isUtf8 || !this.#decodes()) return undefined
    if (this.#spans.reduce((sum, { start, end }) => sum + end - start, 0) <= LARGE_REPLY) return undefined
    const bytes = new RawJson(pieces)
    const around: Buffer[] = []
    let from = 0
    for (const { start, end } of this.#spans) {
      around.push(...bytes.between(from, start), NULL)
      from = end
    }
    around.push(...bytes.between(from, this.#bytes))
    const message: unknown = JSON.parse(Buffer.concat(around).toString('utf8'))
    if (!isRecord(message) || !isRecord(message['result'])) return undefined
    const result = message['result']
    for (const { name, start, end } of this.#spans) result[name] = new RawJson(bytes.between(start, end))
    return message
  }

  /** Without a piece: whether the text does not end within a character. */
  #decodes(piece?: Buffer): boolean {
    try {
      this.#utf8.decode(piece, { stream: piece !== undefined })
      return true
    } catch {
      return false
    }
  }

  #opened(depth: number, offset: number, isObject: boolean): void {
    if (depth === 0) this.#isUnusual ||= !isObject
    else if (depth === 1) this.#isInResult = isObject && this.#name === 'result'
    else if (this.#isInResult && LEFT_RAW.get(this.#name) === (isObject ? 'object' : 'array')) {
      this.#open = { name: this.#name, start: offset, end: offset }
    }
  }

  #closed(depth: number, offset: number): void {
    if (depth === 0) this.#endId(offset)
    if (depth === 1) this.#isInResult = false
    if (depth !== 2 || this.#open === undefined) return
    this.#open.end = offset
    this.#spans.push(this.#open)
    this.#open = undefined
  }

  #key(depth: number, offset: number, isEnd: boolean): void {
    const names = depth === 1 ? this.#topNames : this.#isInResult ? this.#resultNames : undefined
    if (names === undefined) return
    if (depth === 1 && !isEnd) this.#endId(offset)
    if (!isEnd) return this.#nameText.begin(offset)
    const name = this.#nameText.end(offset)
    // JSON.parse takes the last of repeated names, and an escaped or long name may be any name.
    this.#isUnusual ||= name === undefined || name.includes('\\') || names.has(name) || names.size === MOST_NAMES
    this.#name = name ?? ''
    if (names.size < MOST_NAMES) names.add(this.#name)
    if (depth === 1 && name === 'id') this.#idText.begin(offset)
  }

  /** Reads the value between the name `id` and the next name. */
  #endId(offset: number): void {
    const text = this.#idText.end(offset)
    const value = text === undefined ? undefined : ID_VALUE.exec(text)?.[1]
    if (value !== undefined) this.#id = JSON.parse(value) as RequestId
  }
}

/** A short excerpt of a text that arrives in pieces. Offsets count from the text's first byte. */
export class Excerpt {
  readonly #most: number
  #piece: Buffer = Buffer.alloc(0)
  #before = 0
  #from: number | undefined
  #kept: Buffer[] = []
  #length = 0

  constructor(mostBytes: number) {
    this.#most = mostBytes
  }

  /** Called before a piece is checked. */
  enter(piece: Buffer): void {
    this.#piece = piece
  }

  /** Called after the piece was checked. */
  leave(): void {
    const end = this.#before + this.#piece.length
    this.#keep(end)
    this.#before = end
  }

  begin(offset: number): void {
    this.#from = offset
    this.#kept = []
    this.#length = 0
  }

  /** @returns the text between the two offsets; undefined if nothing was begun or it is too long */
  end(offset: number): string | undefined {
    if (this.#from === undefined) return undefined
    this.#keep(offset)
    this.#from = undefined
    return this.#length > this.#most ? undefined : Buffer.concat(this.#kept).toString('utf8')
  }

  #keep(until: number): void {
    if (this.#from === undefined) return
    const from = Math.max(this.#from, this.#before)
    this.#length += until - from
    // A copy: a slice would hold the whole piece.
    if (this.#length <= this.#most) {
      this.#kept.push(Buffer.from(this.#piece.subarray(from - this.#before, until - this.#before)))
    }
    this.#from = until
  }
}
