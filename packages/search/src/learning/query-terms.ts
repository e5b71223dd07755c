import { stem } from '../text/stem.ts'
import { isStopWord } from '../text/stop-words.ts'
import { tokensOf } from '../text/tokenise.ts'

/** Words of which the stem is kept: queries are mostly made of the same ones. */
const MOST_STEMS = 10_000
const stems = new Map<string, string>()

/** The words by which queries are compared. */
export function termsOf(text: string): readonly string[] {
  const tokens = tokensOf(text)
  const telling = tokens.filter((token) => !isStopWord(token))
  return [...new Set((telling.length > 0 ? telling : tokens).map(keptStem))]
}

function keptStem(token: string): string {
  const kept = stems.get(token)
  if (kept !== undefined) return kept
  if (stems.size >= MOST_STEMS) stems.clear()
  const stemmed = stem(token)
  stems.set(token, stemmed)
  return stemmed
}

/** How much a word tells that so many past queries have. */
export function rarityAmong(queries: number): number {
  return 1 / Math.log2(2 + queries)
}

/** What a query wants to turn into what. */
export interface Direction {
  readonly from: ReadonlySet<string>
  readonly to: ReadonlySet<string>
}

const TURNED_INTO = / (?:to|into) /i

/** The direction of a query with exactly one _to_ or _into_. */
export function directionOf(text: string): Direction | undefined {
  const [from, to, ...more] = text.split(TURNED_INTO)
  if (from === undefined || to === undefined || more.length > 0) return undefined
  return { from: new Set(termsOf(from)), to: new Set(termsOf(to)) }
}

/** _Address to coordinates_ has the words of _coordinates to address_ and asks for the contrary. */
export function isReverse(one: Direction | undefined, other: Direction | undefined): boolean {
  if (one === undefined || other === undefined) return false
  const isCrossed = shares(one.from, other.to) && shares(one.to, other.from)
  return isCrossed && !shares(one.from, other.from) && !shares(one.to, other.to)
}

function shares(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const one of some) if (others.has(one)) return true
  return false
}
