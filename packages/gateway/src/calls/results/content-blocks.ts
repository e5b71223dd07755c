import { setImmediate } from 'node:timers/promises'
import { isRecord } from '@tooldex/http-kit/json'
import { JsonChecker, type JsonWatch } from '../../servers/protocol/json-checker.ts'
import { RawJson } from '../../servers/protocol/raw-json.ts'

/** A block of a result's content. Large values of a block that was never parsed are raw. */
export type ContentBlock = Readonly<Record<string, unknown>>

/** In bytes: larger values of a raw block are left raw, because parsing them would stall other calls. */
const LARGE_VALUE = 65_536
/** Between slices of this many bytes, other work runs. */
export const SLICE = 262_144

const [BLANKS, COLON, COMMA] = [new Set([0x20, 0x0a, 0x0d, 0x09]), 0x3a, 0x2c] as const
const IGNORE = (): void => undefined

/** The blocks of a result's content; entries that are not objects are left out. */
export async function contentBlocks(content: unknown): Promise<readonly ContentBlock[]> {
  if (!(content instanceof RawJson)) return Array.isArray(content) ? content.filter(isRecord) : []
  const spans: (readonly [number, number])[] = []
  let start = 0
  await scan(content, {
    opened: (depth, offset) => {
      if (depth === 1) start = offset
    },
    closed: (depth, offset) => {
      if (depth === 1) spans.push([start, offset])
    },
    key: IGNORE,
  })
  const blocks: ContentBlock[] = []
  let read = 0
  for (const [from, to] of spans) {
    const block = new RawJson(content.between(from, to))
    const value = block.bytes > LARGE_VALUE ? await membersOf(block) : block.read()
    if (isRecord(value)) blocks.push(value)
    read += block.bytes
    if (read > SLICE) {
      await setImmediate()
      read = 0
    }
  }
  return blocks
}

/** The members of a value that may be a raw object; large ones are raw. */
export async function membersOf(value: unknown): Promise<ContentBlock> {
  if (!(value instanceof RawJson)) return isRecord(value) ? value : {}
  const keys: { readonly start: number; end: number }[] = []
  await scan(value, {
    opened: IGNORE,
    closed: IGNORE,
    key: (depth, offset, isEnd) => {
      const last = keys.at(-1)
      if (depth !== 1) return
      if (isEnd && last !== undefined) last.end = offset
      else keys.push({ start: offset, end: offset })
    },
  })
  const members = keys.map(({ start, end }, index) => {
    const name = textOf(value.between(start - 1, end + 1))
    const next = keys[index + 1]
    const span = valueBetween(value, end + 1, next === undefined ? value.bytes - 1 : next.start - 1)
    return [JSON.parse(name) as string, span.bytes > LARGE_VALUE ? span : span.read()] as const
  })
  return Object.fromEntries(members)
}

/** The value in a member's text after its name, without the colon, the comma and blanks. */
function valueBetween(object: RawJson, from: number, to: number): RawJson {
  let [start, end] = [from, to]
  const at = (offset: number): number => object.between(offset, offset + 1)[0]?.[0] ?? 0
  const isAround = (byte: number, sign: number): boolean => byte === sign || BLANKS.has(byte)
  while (start < end && isAround(at(start), COLON)) start++
  while (end > start && isAround(at(end - 1), COMMA)) end--
  return new RawJson(object.between(start, end))
}

/** Runs over the bytes in slices. */
async function scan(value: RawJson, watch: JsonWatch): Promise<void> {
  const checker = new JsonChecker(watch)
  for (let at = 0; at < value.bytes; at += SLICE) {
    for (const piece of value.between(at, at + SLICE)) checker.add(piece)
    if (at + SLICE < value.bytes) await setImmediate()
  }
}

const textOf = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString('utf8')
