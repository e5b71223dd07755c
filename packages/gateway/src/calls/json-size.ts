import { LARGE_REPLY } from '../servers/protocol/large-reply.ts'
import { RawJson } from '../servers/protocol/raw-json.ts'

/** In characters: between reading, writing and sending a larger result, other work runs first. Raw JSON always is larger. */
export const LARGE_RESULT = LARGE_REPLY

/** The punctuation of an object's member: two quotes, a colon, and a comma or the closing brace. */
const MEMBER_SIGNS = 4

/**
 * The length of a value as JSON, without writing it: writing megabytes only to count them would stall other calls. Escaped
 * characters count as one. Stops counting beyond `most`.
 */
export function jsonSize(value: unknown, most = Number.POSITIVE_INFINITY): number {
  // A list instead of recursion, because a server may nest deeply.
  const left: unknown[] = [value]
  let size = 0
  while (left.length > 0 && size <= most) {
    const next = left.pop()
    if (typeof next === 'string') size += next.length + 2
    else if (next instanceof RawJson) size += next.bytes
    else if (typeof next !== 'object' || next === null) size += String(next).length
    else if (Array.isArray(next)) {
      size += Math.max(2, next.length + 1)
      for (const item of next) left.push(item)
    } else {
      const before = size
      for (const key in next) {
        const member = (next as Readonly<Record<string, unknown>>)[key]
        if (member === undefined) continue
        size += key.length + MEMBER_SIGNS
        left.push(member)
      }
      size += size === before ? 2 : 1
    }
  }
  return size
}
