/**
 * A JSON value that is passed on unread: the bytes as they arrived, known to be valid. Parsing megabytes into objects, only
 * to write them out again, would stall all other calls.
 */
export class RawJson {
  /** In order; together they are the value. */
  readonly pieces: readonly Buffer[]
  readonly bytes: number

  constructor(pieces: readonly Buffer[]) {
    this.pieces = pieces
    this.bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  }

  /** The bytes between two offsets, which share memory with these. */
  between(start: number, end: number): Buffer[] {
    const found: Buffer[] = []
    let before = 0
    for (const piece of this.pieces) {
      const from = Math.max(0, start - before)
      const to = Math.min(piece.length, end - before)
      if (from < to) found.push(piece.subarray(from, to))
      before += piece.length
      if (before >= end) break
    }
    return found
  }

  /** The value after all. */
  read(): unknown {
    return JSON.parse(Buffer.concat(this.pieces).toString('utf8'))
  }

  /** JSON.stringify gets the parsed value. */
  toJSON(): unknown {
    return this.read()
  }
}

type Json = Readonly<Record<string, unknown>>

/** A result in which everything can be looked into: for those who do not know of raw values. */
export function withoutRaw<Result extends Json>(result: Result): Result {
  return mapped(result, (member) => (isPlain(member) ? mapped(member, read) : read(member))) as Result
}

function mapped(object: Json, map: (member: unknown) => unknown): Json {
  const entries = Object.entries(object).map(([key, member]) => [key, member, map(member)] as const)
  if (entries.every(([, before, after]) => before === after)) return object
  return Object.fromEntries(entries.map(([key, , after]) => [key, after]))
}

const read = (member: unknown): unknown => (member instanceof RawJson ? member.read() : member)

function isPlain(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson)
}
