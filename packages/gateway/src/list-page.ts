/** Which page of a list. */
export interface PageAsk {
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A page of a list. */
export interface Page<Item> {
  readonly items: Item[]
  readonly nextCursor?: string
}

/**
 * A page of a list in its own order; undefined for a cursor that is not one of a list. It begins after the last entry of the
 * page before, or at its place if that entry is gone by now: a change between two pages repeats or omits few entries.
 */
export function pageOf<Item>(
  all: readonly Item[],
  idOf: (item: Item) => string,
  { limit, cursor }: PageAsk,
): Page<Item> | undefined {
  const start = cursor === undefined ? 0 : startAfter(all, idOf, cursor)
  if (start === undefined) return undefined
  const items = all.slice(start, start + limit)
  const last = items.at(-1)
  const isLast = last === undefined || start + items.length >= all.length
  return { items, ...(!isLast && { nextCursor: toCursor([idOf(last), start + items.length]) }) }
}

function startAfter<Item>(all: readonly Item[], idOf: (item: Item) => string, cursor: string): number | undefined {
  const [id, place] = fromCursor(cursor)
  if (typeof id !== 'string' || typeof place !== 'number' || !Number.isInteger(place) || place < 1) return undefined
  const at = all.findIndex((item) => idOf(item) === id)
  return at < 0 ? Math.min(place - 1, all.length) : at + 1
}

/** A cursor of some facts, opaque to clients. */
export function toCursor(facts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(facts)).toString('base64url')
}

/** The facts of a cursor; none if it is malformed. */
export function fromCursor(cursor: string): readonly unknown[] {
  try {
    const facts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown
    return Array.isArray(facts) ? facts : []
  } catch {
    return []
  }
}
