import { LARGE_REPLY } from './large-reply.ts'
import { RawJson } from './raw-json.ts'

/** In characters: between reading, writing and sending a larger result, other work runs first. Raw JSON always is larger. */
export const LARGE_RESULT = LARGE_REPLY

/** The punctuation of an object's member: two quotes, a colon, and a comma or the closing brace. */
const MEMBER_SIGNS = 4

/**
 * The length of a value as JSON, without writing it: writing megabytes only to count them would stall other calls. Escaped
 * characters count as one. Stops counting beyond `most`.
 */
export function jsonSize(value: unknown, most = Number.POSITIVE_INFINITY): number {
  if (!isNested(value)) return sizeOfPlain(value)
  // A list instead of recursion, because a server may nest deeply.
  const left: object[] = [value]
  let size = 0
  while (left.length > 0 && size <= most) {
    const next = left.pop() ?? {}
    if (next instanceof RawJson) size += next.bytes
    else if (Array.isArray(next)) {
      size += Math.max(2, next.length + 1)
      for (const item of next as readonly unknown[]) {
        if (isNested(item)) left.push(item)
        else size += sizeOfPlain(item)
      }
    } else {
      const before = size
      for (const key in next) {
        const member = (next as Readonly<Record<string, unknown>>)[key]
        if (member === undefined) continue
        size += key.length + MEMBER_SIGNS
        if (isNested(member)) left.push(member)
        else size += sizeOfPlain(member)
      }
      size += size === before ? 2 : 1
    }
  }
  return size
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

function sizeOfPlain(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  // Most numbers are small and whole; these are counted without being written.
  if (typeof value === 'number' && value >= 0 && value < 10_000_000 && Number.isInteger(value)) return digitsOf(value)
  return String(value).length
}

function digitsOf(whole: number): number {
  let digits = 1
  for (let limit = 10; whole >= limit; limit *= 10) digits++
  return digits
}
