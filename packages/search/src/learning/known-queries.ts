import { HighestValues } from '../providers/bm25/score/top-documents.ts'
import { type ComparedVector, cosineOf, inverseLength, quantise } from '../vectors/quantise.ts'
import { LEAST_SIMILARITY, MOST_COMPARED, MOST_MENTIONS, WORDS_SHARE } from './parameters.ts'
import { type Direction, directionOf, isReverse, rarityAmong, termsOf } from './query-terms.ts'

/** The weight of a use, and when it was made. */
export interface Weighed {
  readonly weight: number
  readonly at: number
}

/** A past query and what was used after it. */
export interface KnownQuery {
  readonly text: string
  readonly terms: readonly KnownTerm[]
  /** By tool, then by caller; the caller of uses without one is a number of its own. */
  readonly uses: Map<string, Map<string, Weighed>>
  /** Worked out when the query is first compared with one that has a direction; null where it has none. */
  direction?: Direction | null
  /** Computed when the query is first compared: most never are. */
  vector?: ComparedVector | undefined
  /** How much of the query that is being asked it has; 0 between searches. */
  shared: number
}

/** A word of past queries. */
interface KnownTerm {
  readonly text: string
  queries: KnownQuery[]
  /** Among all past queries; kept, because every search asks for that of very many. */
  rarity: number
}

/** A past query with how alike it is, 0 to 1. */
export interface Similar {
  readonly known: KnownQuery
  readonly similarity: number
}

/** Finds the past queries that are like a new one, by inverted lists of their words and by the meaning of the nearest. */
export class KnownQueries {
  readonly #embedNow: ((text: string) => Float32Array) | undefined
  /** By `keptQuery`, least recently taught first. */
  readonly #queries = new Map<string, KnownQuery>()
  readonly #byTerm = new Map<string, KnownTerm>()

  constructor(embedNow: ((text: string) => Float32Array) | undefined) {
    this.#embedNow = embedNow
  }

  get(text: string): KnownQuery | undefined {
    return this.#queries.get(text)
  }

  /** Least recently taught first. */
  values(): IterableIterator<KnownQuery> {
    return this.#queries.values()
  }

  /** The query of this text, known or new, as the one that was taught last. */
  taught(text: string): KnownQuery {
    const known = this.#queries.get(text) ?? this.#newQuery(text)
    this.#queries.delete(text)
    this.#queries.set(text, known)
    return known
  }

  drop(known: KnownQuery): void {
    this.#queries.delete(known.text)
    for (const term of known.terms) {
      term.queries = term.queries.filter((other) => other !== known)
      this.#recount(term)
    }
  }

  /**
   * Past queries that share a telling word with this one, with how alike they are, in no order. Those whose tools are all
   * hidden do not exist.
   */
  similar(query: string, hidden: ReadonlySet<string> | undefined): readonly Similar[] {
    const seen = hidden === undefined ? ALL_SEEN : new SeenQueries(hidden)
    const { own, sharing } = this.#share(termsOf(query), seen)
    const compared = mostShared(sharing)
    const vector = compared.length === 0 ? undefined : this.#vectorOf(query)
    const isContrary = contraryOf(query)
    const similar: Similar[] = []
    for (const known of compared) {
      const byWords = known.shared / Math.sqrt(own * sumOf(known.terms, seen))
      const past = vector && this.#vectorOfKnown(known)
      const byMeaning = vector === undefined || past === undefined ? byWords : cosineOf(vector, past)
      const similarity = WORDS_SHARE * byWords + (1 - WORDS_SHARE) * Math.max(0, byMeaning)
      if (similarity >= LEAST_SIMILARITY && !isContrary(known)) similar.push({ known, similarity })
    }
    for (const known of sharing) known.shared = 0
    return similar
  }

  /**
   * Adds up what past queries have of the words, the rarest first, and answers how much there is to have. Words that very
   * many have tell little and cost most: they count only while there are few mentions.
   */
  #share(words: readonly string[], seen: Seen): { readonly own: number; readonly sharing: readonly KnownQuery[] } {
    const terms: KnownTerm[] = []
    let own = 0
    for (const word of words) {
      const term = this.#byTerm.get(word)
      if (term !== undefined) terms.push(term)
      own += term === undefined ? RARITY_OF_UNKNOWN : seen.rarityOf(term)
    }
    terms.sort((a, b) => seen.queriesWith(a).length - seen.queriesWith(b).length)
    const sharing: KnownQuery[] = []
    let mentions = 0
    for (const term of terms) {
      const queries = seen.queriesWith(term)
      if (mentions > 0 && mentions + queries.length > MOST_MENTIONS) break
      mentions += queries.length
      for (const known of queries) {
        if (known.shared === 0) sharing.push(known)
        known.shared += seen.rarityOf(term)
      }
    }
    return { own, sharing }
  }

  #newQuery(text: string): KnownQuery {
    const terms = termsOf(text).map((term) => this.#byTerm.get(term) ?? { text: term, queries: [], rarity: 0 })
    const known: KnownQuery = { text, terms, uses: new Map(), shared: 0 }
    for (const term of terms) {
      term.queries.push(known)
      this.#recount(term)
    }
    return known
  }

  #vectorOf(text: string): ComparedVector | undefined {
    if (this.#embedNow === undefined) return undefined
    const values = quantise(this.#embedNow(text))
    return { values, inverseLength: inverseLength(values) }
  }

  #vectorOfKnown(known: KnownQuery): ComparedVector | undefined {
    known.vector ??= this.#vectorOf(known.text)
    return known.vector
  }

  #recount(term: KnownTerm): void {
    term.rarity = rarityAmong(term.queries.length)
    if (term.queries.length === 0) this.#byTerm.delete(term.text)
    else this.#byTerm.set(term.text, term)
  }
}

const RARITY_OF_UNKNOWN = rarityAmong(0)

/** Which past queries there are for a caller. */
interface Seen {
  queriesWith(term: KnownTerm): readonly KnownQuery[]
  rarityOf(term: KnownTerm): number
}

const ALL_SEEN: Seen = {
  queriesWith: ({ queries }) => queries,
  rarityOf: ({ rarity }) => rarity,
}

/** Those after which a tool was used that is not hidden. */
class SeenQueries implements Seen {
  readonly #hidden: ReadonlySet<string>
  readonly #queries = new Map<KnownTerm, readonly KnownQuery[]>()

  constructor(hidden: ReadonlySet<string>) {
    this.#hidden = hidden
  }

  queriesWith(term: KnownTerm): readonly KnownQuery[] {
    const queries = this.#queries.get(term) ?? term.queries.filter((known) => this.#has(known))
    this.#queries.set(term, queries)
    return queries
  }

  rarityOf(term: KnownTerm): number {
    return rarityAmong(this.queriesWith(term).length)
  }

  #has({ uses }: KnownQuery): boolean {
    for (const id of uses.keys()) if (!this.#hidden.has(id)) return true
    return false
  }
}

/** Those with most in common, in no order; by text where alike at the edge, so that the choice depends on nothing else. */
function mostShared(sharing: readonly KnownQuery[]): readonly KnownQuery[] {
  if (sharing.length <= MOST_COMPARED) return sharing
  const highest = new HighestValues(MOST_COMPARED)
  for (const { shared } of sharing) highest.offer(shared)
  const enough = highest.lowest
  const most = sharing.filter(({ shared }) => shared > enough)
  const edge = sharing.filter(({ shared }) => shared === enough)
  const free = MOST_COMPARED - most.length
  if (edge.length > free) edge.sort((a, b) => (a.text < b.text ? -1 : 1))
  return [...most, ...edge.slice(0, free)]
}

/** Tells which past queries ask for the reverse. The direction of a query is worked out with the first that has one. */
function contraryOf(query: string): (known: KnownQuery) => boolean {
  let direction: Direction | undefined | null = null
  return (known) => {
    const past = directionOfKnown(known)
    if (past === undefined) return false
    if (direction === null) direction = directionOf(query)
    return isReverse(direction, past)
  }
}

function directionOfKnown(known: KnownQuery): Direction | undefined {
  known.direction ??= directionOf(known.text) ?? null
  return known.direction ?? undefined
}

function sumOf(terms: readonly KnownTerm[], seen: Seen): number {
  let sum = 0
  for (const term of terms) sum += seen.rarityOf(term)
  return sum
}
