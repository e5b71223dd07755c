import { setImmediate } from 'node:timers/promises'
import { SLICE } from './content-blocks.ts'
import { characterStart } from './raw-text.ts'
import { newlinesIn, type TextIndex } from './text-index.ts'

const NEWLINE = 0x0a
/** Of the bytes of a page, so that two cuts make no page that is half as long again. */
const CUT_WINDOW = 0.5
/** Beyond this, matches are not counted. */
const MOST_COUNTED = 1_000

/** The bytes of a kept result: in memory or in a file. */
export interface KeptBytes {
  /** Fewer than asked for only at the end. */
  read(from: number, to: number): Promise<Buffer>
  close(): Promise<void>
}

/** A block that is kept whole: an image, audio, a large resource. */
export interface KeptBlock {
  /** Its place among the result's blocks, from 1. */
  readonly number: number
  readonly type: string
  readonly mimeType?: string
  /** Its JSON within the bytes. */
  readonly start: number
  readonly end: number
}

/** A part of a text between two offsets, which are between lines or records where there are such. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** Places in a text. */
export interface Matches {
  readonly found: readonly { readonly offset: number; readonly line: number; readonly excerpt: string }[]
  /** How many there are in all; counted up to a limit. */
  readonly total: number
  readonly isCounted: boolean
}

/** What a kept result consists of. */
export interface KeptResultParts {
  readonly id: string
  readonly toolKey: string
  readonly bytes: KeptBytes
  /** Of the text, which comes first in the bytes. */
  readonly index: TextIndex
  readonly blocks: readonly KeptBlock[]
  /** The first page, which the result itself showed, is shorter than the others. */
  readonly firstPageBytes: number
  readonly pageBytes: number
}

/** A result that was too large to be shown whole: its text, which is read by page, by line or by what it contains, and its blocks. */
export class KeptResult {
  readonly id: string
  readonly toolKey: string
  readonly blocks: readonly KeptBlock[]
  readonly #parts: KeptResultParts

  constructor(parts: KeptResultParts) {
    this.id = parts.id
    this.toolKey = parts.toolKey
    this.blocks = parts.blocks
    this.#parts = parts
  }

  /** The bytes of the text. */
  get size(): number {
    return this.#parts.index.size
  }

  get lines(): number {
    return this.#parts.index.lines
  }

  get pages(): number {
    const { firstPageBytes, pageBytes } = this.#parts
    return this.size <= firstPageBytes ? 1 : 1 + Math.ceil((this.size - firstPageBytes) / pageBytes)
  }

  /** A page, from 1 to `pages`. Pages follow each other without gaps. */
  async page(number: number): Promise<TextRange> {
    const [start, end] = [await this.#pageEnd(number - 1), await this.#pageEnd(number)]
    return { start, end }
  }

  /** As much as a page holds from a line on; at most so many lines. */
  async fromLine(line: number, lines = Number.POSITIVE_INFINITY): Promise<TextRange> {
    const start = await this.#lineStart(line)
    const nominal = start + this.#parts.pageBytes
    const end = nominal >= this.size ? this.size : await this.#cutBefore(nominal, this.#parts.pageBytes)
    const limit = line + lines > this.lines ? this.size : await this.#lineStart(line + lines)
    return { start, end: Math.min(end, limit) }
  }

  async text({ start, end }: TextRange): Promise<string> {
    return (await this.#parts.bytes.read(start, end)).toString('utf8')
  }

  /** What closes the JSON after the first page; empty unless the text is JSON. */
  async closing({ end }: TextRange): Promise<string> {
    return this.#parts.index.closing(await this.#parts.bytes.read(0, end))
  }

  /** The JSON of a block. */
  block({ start, end }: KeptBlock): Promise<Buffer> {
    return this.#parts.bytes.read(start, end)
  }

  /** The page that an offset is on. */
  pageOf(offset: number): number {
    const { firstPageBytes, pageBytes } = this.#parts
    return offset < firstPageBytes ? 1 : 2 + Math.floor((offset - firstPageBytes) / pageBytes)
  }

  async lineAt(offset: number): Promise<number> {
    const { index, bytes } = this.#parts
    const from = index.checkpointBefore(offset)
    return index.newlinesAt(from) + newlinesIn(await bytes.read(from, offset)) + 1
  }

  /** The first places of a text, in any case of the letters A to Z. */
  async find(text: string, { most, around }: { readonly most: number; readonly around: number }): Promise<Matches> {
    const wanted = lowered(Buffer.from(text, 'utf8'))
    const offsets: number[] = []
    for (let at = 0; at < this.size && offsets.length < MOST_COUNTED; at += SLICE) {
      // The next slice begins before a match that this one has only the start of.
      const end = Math.min(at + SLICE + wanted.length - 1, this.size)
      const slice = lowered(await this.#parts.bytes.read(at, end))
      for (let found = slice.indexOf(wanted); found >= 0; found = slice.indexOf(wanted, found + wanted.length)) {
        if (offsets.length === MOST_COUNTED) break
        const last = offsets.at(-1)
        if (last === undefined || at + found >= last + wanted.length) offsets.push(at + found)
      }
      await setImmediate()
    }
    const found = []
    for (const offset of offsets.slice(0, most)) {
      found.push({
        offset,
        line: await this.lineAt(offset),
        excerpt: await this.#around(offset, wanted.length, around),
      })
    }
    return { found, total: offsets.length, isCounted: offsets.length < MOST_COUNTED }
  }

  close(): Promise<void> {
    return this.#parts.bytes.close()
  }

  /** The line of an offset, or as much of it as is near. */
  async #around(offset: number, length: number, around: number): Promise<string> {
    const [start, end] = [Math.max(0, offset - around), Math.min(this.size, offset + length + around)]
    const bytes = await this.#parts.bytes.read(start, end)
    const at = offset - start
    const before = at === 0 ? -1 : bytes.lastIndexOf(NEWLINE, at - 1)
    const after = bytes.indexOf(NEWLINE, at + length)
    const first = before < 0 ? nextCharacter(bytes, start === 0 ? 0 : 1) : before + 1
    const last = after < 0 ? characterStart(bytes, bytes.length) : after
    const dots = (isCut: boolean): string => (isCut ? '…' : '')
    const text = bytes.toString('utf8', first, last)
    return `${dots(before < 0 && start > 0)}${text}${dots(after < 0 && end < this.size)}`
  }

  async #pageEnd(number: number): Promise<number> {
    const { firstPageBytes, pageBytes } = this.#parts
    if (number === 0) return 0
    const nominal = firstPageBytes + (number - 1) * pageBytes
    if (nominal >= this.size) return this.size
    return this.#cutBefore(nominal, number === 1 ? firstPageBytes : pageBytes)
  }

  /** A good place for a cut at an offset or some way before it. */
  async #cutBefore(offset: number, pageBytes: number): Promise<number> {
    const { index, bytes } = this.#parts
    const least = Math.floor(offset - pageBytes * CUT_WINDOW)
    const from = index.checkpointBefore(least)
    const read = await bytes.read(from, offset)
    return index.bestCut(read, from, least) ?? from + characterStart(read, read.length)
  }

  async #lineStart(line: number): Promise<number> {
    const { index, bytes } = this.#parts
    let from = index.checkpointOfLine(line)
    let missing = line - 1 - index.newlinesAt(from)
    while (missing > 0) {
      const slice = await bytes.read(from, Math.min(from + SLICE, this.size))
      if (slice.length === 0) return this.size
      let at = -1
      while (missing > 0 && (at = slice.indexOf(NEWLINE, at + 1)) >= 0) missing--
      if (missing === 0) return from + at + 1
      from += slice.length
    }
    return from
  }
}

/** The start of the first character at or after an offset. */
function nextCharacter(bytes: Buffer, offset: number): number {
  let at = offset
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return at
}

/** The letters A to Z in lower case; all else unchanged, so that offsets stay the same. */
function lowered(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = 0; at < copy.length; at++) {
    const byte = copy[at] ?? 0
    if (byte >= 0x41 && byte <= 0x5a) copy[at] = byte | 0x20
  }
  return copy
}
