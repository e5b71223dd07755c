import { setImmediate } from 'node:timers/promises'
import type { RawResult } from '../server.ts'
import { UnreadEntry } from './definition-limits.ts'
import { RawJson } from './raw-json.ts'
import { SERVER_LIMITS } from './server-limits.ts'

/** Bytes that are read before other work runs. */
const BYTES_AT_ONCE = 262_144
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/** A result whose lists were left raw, because they are large, with these lists read piece by piece. */
export async function withEntriesRead(result: RawResult): Promise<RawResult> {
  const raw = Object.entries(result).filter((member): member is [string, RawJson] => member[1] instanceof RawJson)
  if (raw.length === 0) return result
  const read: Record<string, unknown> = { ...result }
  for (const [name, list] of raw) read[name] = await entriesOf(list)
  return read
}

/** Parses the entries of a valid JSON array one by one. Other work runs in between. */
async function entriesOf(list: RawJson): Promise<readonly unknown[]> {
  const bytes = Buffer.concat(list.pieces)
  const entries: unknown[] = []
  let since = 0
  for (const [start, end] of spansIn(bytes)) {
    const isRead = end - start <= SERVER_LIMITS.entryBytes
    entries.push(isRead ? JSON.parse(bytes.toString('utf8', start, end)) : new UnreadEntry(end - start))
    if (end - since < BYTES_AT_ONCE) continue
    since = end
    await setImmediate()
  }
  return entries
}

/** The places of the entries in a valid JSON array. */
function* spansIn(bytes: Buffer): Generator<readonly [number, number]> {
  let depth = 0
  let start = bytes.indexOf('[') + 1
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) at = endOfText(bytes, at)
    else if (OPENING.has(byte)) depth++
    else if (depth > 0 && CLOSING.has(byte)) depth--
    else if (depth === 0 && (byte === COMMA || CLOSING.has(byte))) {
      if (bytes.toString('latin1', start, Math.min(at, start + 32)).trim() !== '') yield [start, at]
      start = at + 1
    }
  }
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
