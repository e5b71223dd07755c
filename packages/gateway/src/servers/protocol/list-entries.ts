import { inSlices, type Steps } from '../../in-slices.ts'
import type { RawResult } from '../server.ts'
import { UnreadEntry } from './definition-limits.ts'
import { endOfString } from './envelope-scanner.ts'
import { RawJson } from './raw-json.ts'
import { SERVER_LIMITS } from './server-limits.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const OPENING_LIST = 0x5b
const CLOSING_LIST = 0x5d
const OPENING_OBJECT = 0x7b
const CLOSING_OBJECT = 0x7d

/** A result whose lists were left raw, because they are large, with these lists read piece by piece. */
export async function withEntriesRead(result: RawResult, mostEntries = Number.POSITIVE_INFINITY): Promise<RawResult> {
  const raw = Object.entries(result).filter((member): member is [string, RawJson] => member[1] instanceof RawJson)
  if (raw.length === 0) return result
  const read: Record<string, unknown> = { ...result }
  for (const [name, list] of raw) read[name] = await inSlices(entrySteps(list, mostEntries))
  return read
}

/** Parses the first entries of a valid JSON array, one or a piece of one in each step. */
function* entrySteps(list: RawJson, mostEntries: number): Steps<readonly unknown[]> {
  const entries: unknown[] = []
  for (const entry of entriesIn(list.pieces)) {
    if (entries.length >= mostEntries) break
    if (entry !== undefined) entries.push(typeof entry === 'string' ? JSON.parse(entry) : entry)
    yield
  }
  return entries
}

/** The entries of a valid JSON array, and `undefined` after each piece. An entry that is too large is never put together. */
function* entriesIn(pieces: readonly Buffer[]): Generator<string | UnreadEntry | undefined> {
  const entry = new EntryBytes()
  let depth = -1
  let isInText = false
  let isEscaped = false
  for (const piece of pieces) {
    let start = 0
    let at = isEscaped ? 1 : 0
    isEscaped = false
    while (at < piece.length) {
      if (isInText) {
        const end = endOfString(piece, at)
        isInText = end >= piece.length
        isEscaped = end > piece.length
        at = end + 1
        continue
      }
      const byte = piece[at++]
      let isEnd = false
      if (byte === QUOTE) isInText = true
      else if (byte === OPENING_LIST || byte === OPENING_OBJECT) {
        if (++depth === 0) start = at
      } else if (byte === CLOSING_LIST || byte === CLOSING_OBJECT) isEnd = --depth < 0
      else if (byte === COMMA) isEnd = depth === 0
      if (!isEnd) continue
      entry.add(piece.subarray(start, at - 1))
      start = at
      const whole = entry.end()
      if (whole !== '') yield whole
      if (depth < 0) return
    }
    if (depth >= 0) entry.add(piece.subarray(start))
    yield
  }
}

/** Collects the bytes of an entry, as long as it is not too large. */
class EntryBytes {
  #parts: Buffer[] = []
  #length = 0

  add(part: Buffer): void {
    this.#length += part.length
    if (this.#length <= SERVER_LIMITS.entryBytes) this.#parts.push(part)
    else this.#parts = []
  }

  /** The entry, without the space around it; the next one begins. */
  end(): string | UnreadEntry {
    const isRead = this.#length <= SERVER_LIMITS.entryBytes
    const entry = isRead ? Buffer.concat(this.#parts).toString('utf8').trim() : new UnreadEntry(this.#length)
    this.#parts = []
    this.#length = 0
    return entry
  }
}
