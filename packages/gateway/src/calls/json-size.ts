import { LARGE_REPLY } from '../servers/protocol/large-reply.ts'
import { RawJson } from '../servers/protocol/raw-json.ts'

/** In characters: beyond this, others go first between reading, writing and sending a result. What is raw is beyond. */
export const LARGE_RESULT = LARGE_REPLY

/** What punctuation a member of an object costs: two quotes, a colon, and a comma or the closing brace. */
const MEMBER_SIGNS = 4

/**
 * How many characters a JSON value has when it is written, found without writing it: writing megabytes only to count
 * them would keep everybody waiting. Characters that are escaped count as one. Stops counting beyond `most`.
 */
export function jsonSize(value: unknown, most = Number.POSITIVE_INFINITY): number {
  // A list instead of recursion: nobody knows how deep a server nests.
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
