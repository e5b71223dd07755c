import type { ToolSearchError } from '../../../errors.ts'
import { invalidSaved } from '../../../saved/saved-parts.ts'
import { FIELDS } from './posting.ts'

/** A document as it was read, with the words of its server: all that a corpus needs to know of a tool. */
export interface ReadDocument {
  readonly name: string
  /** Tells its server apart; empty for a tool that belongs to none. */
  readonly serverKey: string
  /** The server's own text: stems, and how often it has each. */
  readonly serverStems: readonly (readonly [stem: string, count: number])[]
  /** The distinct words of the document. */
  readonly words: readonly string[]
  /** In reading order: the number of a field that opens, or a word as `wordItem` makes it. */
  readonly items: ArrayLike<number>
}

/** A document that was unpacked: its words are ranges of one text, because most of them need no string. */
export interface UnpackedDocument extends Pick<ReadDocument, 'name' | 'serverKey' | 'serverStems' | 'items'> {
  readonly text: string
  /** Where each word begins in `text`, and where the last one ends. */
  readonly starts: Int32Array
}

const VERSION = 1
const FIRST_WORD = FIELDS.length

/** A word of a document by its place in `words`; `isWhole` for a second reading that takes no position. */
export function wordItem(place: number, isWhole: boolean): number {
  return FIRST_WORD + 2 * place + (isWhole ? 1 : 0)
}

/** The field that an item opens; absent for a word. */
export function fieldIn(item: number): number | undefined {
  return item < FIRST_WORD ? item : undefined
}

/** The place of the word that an item stands for. */
export function placeIn(item: number): number {
  return (item - FIRST_WORD) >> 1
}

/** Whether the word is a second reading. */
export function isWholeIn(item: number): boolean {
  return ((item - FIRST_WORD) & 1) === 1
}

/** Name and key, then numbers of seven bits a byte, then all words as one text. */
export function packDocument({ name, serverKey, serverStems, words, items }: ReadDocument): Uint8Array {
  const head = [VERSION]
  const put = (number: number): void => {
    let rest = number
    for (; rest > 0x7f; rest >>>= 7) head.push((rest & 0x7f) | 0x80)
    head.push(rest)
  }
  for (const text of [name, serverKey]) {
    const bytes = encoder.encode(text)
    put(bytes.length)
    for (const byte of bytes) head.push(byte)
  }
  put(serverStems.length)
  for (const [stem, count] of serverStems) {
    put(stem.length)
    put(count)
  }
  put(words.length)
  for (const word of words) put(word.length)
  put(items.length)
  for (let i = 0; i < items.length; i++) put(items[i] as number)
  const text = encoder.encode(serverStems.map(([stem]) => stem).join('') + words.join(''))
  const packed = new Uint8Array(head.length + text.length)
  packed.set(head)
  packed.set(text, head.length)
  return packed
}

/** @throws ToolSearchError INVALID_SAVED_INDEX for bytes that `packDocument` of this version did not make */
export function unpackDocument(packed: Uint8Array): UnpackedDocument {
  const from = new PackedReader(packed)
  const [name, serverKey] = [from.text(), from.text()]
  const stems = new Int32Array(2 * from.count())
  for (let i = 0; i < stems.length; i++) stems[i] = from.number()
  const starts = new Int32Array(from.count() + 1)
  for (let word = 1; word < starts.length; word++) starts[word] = (starts[word - 1] as number) + from.number()
  const items = new Int32Array(from.count())
  for (let i = 0; i < items.length; i++) {
    const item = from.number()
    if (item >= FIRST_WORD && placeIn(item) >= starts.length - 1) throw altered()
    items[i] = item
  }
  const text = from.rest()
  let end = 0
  const serverStems: [stem: string, count: number][] = []
  for (let i = 0; i < stems.length; i += 2) {
    const start = end
    end += stems[i] as number
    serverStems.push([text.slice(start, end), stems[i + 1] as number])
  }
  for (let word = 0; word < starts.length; word++) starts[word] = (starts[word] as number) + end
  if (starts.at(-1) !== text.length) throw altered()
  return { name, serverKey, serverStems, text, starts, items }
}

/** The key of the server alone, without unpacking the rest. */
export function packedServerKey(packed: Uint8Array): string {
  const from = new PackedReader(packed)
  from.text()
  return from.text()
}

class PackedReader {
  readonly #packed: Uint8Array
  #at = 0

  constructor(packed: Uint8Array) {
    this.#packed = packed
    if (this.number() !== VERSION) throw invalidSaved('a tool was packed by another version')
  }

  number(): number {
    let number = 0
    for (let shift = 0; shift <= 28; shift += 7) {
      const byte = this.#packed[this.#at++]
      if (byte === undefined) break
      number |= (byte & 0x7f) << shift
      if (byte < 0x80) return number
    }
    throw altered()
  }

  /** A number of things that take a byte each at least. */
  count(): number {
    const count = this.number()
    if (count < 0 || count > this.#packed.length) throw altered()
    return count
  }

  text(): string {
    const length = this.count()
    const start = this.#at
    this.#at += length
    return decoder.decode(this.#packed.subarray(start, this.#at))
  }

  rest(): string {
    return decoder.decode(this.#packed.subarray(this.#at))
  }
}

function altered(): ToolSearchError {
  return invalidSaved('a packed tool is cut or altered')
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
