import { inSlices, type Steps } from '../../in-slices.ts'
import type { RawResult } from '../server.ts'
import { UnreadEntry } from './definition-limits.ts'
import { RawJson } from './raw-json.ts'
import { SERVER_LIMITS } from './server-limits.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** A result whose lists were left raw, because they are large, with these lists read piece by piece. */
export async function withEntriesRead(result: RawResult, mostEntries = Number.POSITIVE_INFINITY): Promise<RawResult> {
  const raw = Object.entries(result).filter((member): member is [string, RawJson] => member[1] instanceof RawJson)
  if (raw.length === 0) return result
  const read: Record<string, unknown> = { ...result }
  for (const [name, list] of raw) read[name] = await inSlices(entrySteps(list, mostEntries))
  return read
}

/** Parses the first entries of a valid JSON array, one in each step. */
function* entrySteps(list: RawJson, mostEntries: number): Steps<readonly unknown[]> {
  const entries: unknown[] = []
  for (const bytes of entriesIn(list.pieces)) {
    if (entries.length >= mostEntries) break
    const isRead = bytes.length <= SERVER_LIMITS.entryBytes
    entries.push(isRead ? JSON.parse(bytes.toString('utf8')) : new UnreadEntry(bytes.length))
    yield
  }
  return entries
}

/** The entries of a valid JSON array. Joins only the pieces that an entry needs: joining megabytes takes long. */
function* entriesIn(pieces: readonly Buffer[]): Generator<Buffer> {
  let window: Buffer | undefined
  let at = 0
  while (at < pieces.length) {
    const joined: Buffer[] = window === undefined ? [] : [window]
    // At least as many bytes again, so that a long entry is not searched again for each piece.
    for (let wanted = window?.length ?? 0, added = 0; at < pieces.length && added <= wanted; at++) {
      const piece = pieces[at] ?? Buffer.alloc(0)
      joined.push(piece)
      added += piece.length
    }
    const bytes: Buffer = joined.length === 1 ? (joined[0] ?? Buffer.alloc(0)) : Buffer.concat(joined)
    let start = window === undefined ? bytes.indexOf('[') + 1 : 0
    if (window === undefined && start === 0) continue
    for (const end of endsIn(bytes, start)) {
      const entry = bytes.subarray(start, end)
      start = end + 1
      if (!isBlank(entry)) yield entry
    }
    window = bytes.subarray(start)
  }
}

/** The places at which entries end. */
function* endsIn(bytes: Buffer, start: number): Generator<number> {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (OPENING.has(byte)) depth++
    else if (depth > 0 && CLOSING.has(byte)) depth--
    else if (depth === 0 && (byte === COMMA || CLOSING.has(byte))) yield at
  }
}

const isBlank = (bytes: Buffer): boolean => {
  const isIndented = bytes.toString('latin1', 0, 32).trim() === ''
  return isIndented && bytes.toString('latin1').trim() === ''
}

/** The place of the quote that ends a text. */
function endOfText(bytes: Buffer, quote: number): number {
  for (let end = bytes.indexOf(QUOTE, quote + 1); end >= 0; end = bytes.indexOf(QUOTE, end + 1)) {
    let escapes = 0
    while (bytes[end - 1 - escapes] === BACKSLASH) escapes++
    if (escapes % 2 === 0) return end
  }
  return bytes.length
}
