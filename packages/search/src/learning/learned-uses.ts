import { ToolSearchError } from '../errors.ts'
import { type ComparedVector, cosineOf, inverseLength, quantise } from '../vectors/quantise.ts'
import { coveredShare } from './covered-share.ts'
import {
  CALLER_CAP,
  COVERED_POWER_CUT,
  FIRST_WEIGHT,
  HALF_LIFE_MS,
  LEAST_SIMILARITY,
  LONGEST_QUERY,
  MOST_COMPARED,
  MOST_USES,
  MOST_USES_OF_CALLER,
  NEARNESS_POWER,
  STRENGTH_RATE,
  UNCOVERED_STRENGTH,
  WORDS_SHARE,
} from './parameters.ts'
import { type Direction, directionOf, isReverse, rarityAmong, termsOf } from './query-terms.ts'

/** A tool that was used after a query. */
export interface ToolUse {
  readonly query: string
  readonly toolId: string
  /** 0 to 1; default 1. `useWeight` tells how much there is to learn from a use. */
  readonly weight?: number
  /** Milliseconds since 1970; default: now. Uses of the future count as those of now. */
  readonly at?: number
  /** Who used it. What one caller can teach of a tool is bounded; uses without a caller are of different ones. */
  readonly by?: string
}

/** A use as it is kept: one for each caller, query and tool. */
export type LearnedUse = Required<Omit<ToolUse, 'by'>> & Pick<ToolUse, 'by'>

/** Which uses to forget; all that fit every given field. */
export type UseSelector = Partial<Pick<ToolUse, 'query' | 'toolId' | 'by'>>

/** How uses are kept. */
export interface LearningOptions {
  /** Compares queries by meaning as well as by words, such as an embedder's `embedNow`. */
  readonly embedNow?: (text: string) => Float32Array
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** What speaks for a tool: how much, 0 to 1, and the past query that is nearest. */
export interface Evidence {
  readonly strength: number
  readonly query: string
}

interface KnownQuery {
  readonly text: string
  readonly terms: readonly KnownTerm[]
  /** Worked out when the query is first compared with one that has a direction; null where it has none. */
  direction?: Direction | null
  /** Computed when the query is first compared: most never are. */
  vector?: ComparedVector | undefined
  /** By tool, then by caller; the caller of uses without one is a number of its own. */
  readonly uses: Map<string, Map<string, Weighed>>
}

/** A word of past queries. */
interface KnownTerm {
  readonly text: string
  queries: KnownQuery[]
  /** Among all past queries; kept, because every search asks for that of very many. */
  rarity: number
}

type Weighed = Pick<LearnedUse, 'weight' | 'at'>

/**
 * How much there is to learn from the use of a tool which a search placed below so many tools that were not used: next
 * to nothing where it was first, and most where it was not found at all (`Infinity`). Learning what the ranking knows already would only push its tools up elsewhere.
 */
export function useWeight(unusedAbove: number): number {
  return 1 - (1 - FIRST_WEIGHT) / (Math.max(0, unusedAbove) + 1)
}

/** What a use counts for that is made again: what time has left of it, and the new one. At most 1, as of the later. */
export function usedAgain(before: Weighed | undefined, use: Weighed): Weighed {
  const left = before === undefined ? 0 : before.weight * decay(use.at - before.at)
  return { weight: Math.min(1, left + use.weight), at: Math.max(use.at, before?.at ?? use.at) }
}

/** What was used after which query, in memory: bounded, decaying, and the same for the same uses in the same order. */
export class LearnedUses {
  readonly #options: LearningOptions
  /** By `keptQuery`, least recently taught first. */
  readonly #queries = new Map<string, KnownQuery>()
  readonly #byTerm = new Map<string, KnownTerm>()
  /** How many queries have uses of a tool. */
  readonly #tools = new Map<string, number>()
  /** How many uses a caller has. */
  readonly #callers = new Map<string, number>()
  #size = 0
  #nameless = 0
  #revision = 0

  constructor(options: LearningOptions = {}) {
    this.#options = options
  }

  /** Uses that are kept. */
  get size(): number {
    return this.#size
  }

  /** Changes whenever the uses do. */
  get revision(): number {
    return this.#revision
  }

  /**
   * Learns from a use. The same use again counts more, up to a bound, and as of now. Queries are read up to 500
   * characters. The oldest uses go when there are more than 5,000, or more than 500 of one caller.
   * @throws ToolSearchError INVALID_ARGUMENTS
   */
  learn(use: ToolUse): void {
    this.#keep(this.#checked(use), usedAgain)
  }

  /**
   * Takes over a use as another one keeps it, in place of the one that is known: for copies that follow each other.
   * @throws ToolSearchError INVALID_ARGUMENTS
   */
  put(use: LearnedUse): void {
    this.#keep(this.#checked(use), (_, { weight, at }) => ({ weight, at }))
  }

  #keep(use: LearnedUse, weigh: (before: Weighed | undefined, use: Weighed) => Weighed): void {
    const { query, toolId, by } = use
    const text = keptQuery(query)
    if (text === '') return
    const known = this.#queries.get(text) ?? this.#newQuery(text)
    this.#queries.delete(text)
    this.#queries.set(text, known)
    const callers = known.uses.get(toolId) ?? this.#newCallers(known, toolId)
    const caller = by === undefined ? `#${this.#nameless++}` : `=${by}`
    const kept = callers.get(caller)
    callers.set(caller, weigh(kept, use))
    this.#revision++
    if (kept !== undefined) return
    this.#size++
    if (by !== undefined) this.#countFor(caller)
    while (this.#size > MOST_USES) this.#forgetOldest()
  }

  /** Forgets the uses that fit; answers how many. Without a selector all go. */
  forget(selector: UseSelector = {}): number {
    const { query, toolId, by } = selector
    const named = query === undefined ? undefined : this.#queries.get(keptQuery(query))
    const queries = query === undefined ? [...this.#queries.values()] : named === undefined ? [] : [named]
    const before = this.#size
    for (const known of queries) {
      for (const [usedId, callers] of [...known.uses]) {
        if (toolId !== undefined && usedId !== toolId) continue
        const gone = by === undefined ? [...callers.keys()] : [`=${by}`]
        for (const caller of gone) this.#dropUse(known, usedId, caller)
      }
    }
    if (this.#size < before) this.#revision++
    return before - this.#size
  }

  /** All uses, with the weight they had when they were learnt; the latest query last. For lists, files and copies. */
  uses(): readonly LearnedUse[] {
    return [...this.#queries.values()].flatMap(({ text, uses }) =>
      [...uses].flatMap(([toolId, callers]) =>
        [...callers].map(([caller, { weight, at }]) => ({
          ...{ query: text, toolId, weight, at },
          ...(caller.startsWith('=') && { by: caller.slice(1) }),
        })),
      ),
    )
  }

  /**
   * What speaks for which tools, by id. Uses of tools that `isVisible` does not allow have no influence, not even on the
   * rarity of words: a caller's answers are those of a gateway that has only this caller's tools.
   */
  evidence(queries: readonly string[], isVisible: (toolId: string) => boolean): ReadonlyMap<string, Evidence> {
    const found = new Map<string, Evidence>()
    if (this.#size === 0) return found
    const hidden = new Set([...this.#tools.keys()].filter((id) => !isVisible(id)))
    const covered = coveredShare(this.#tools, hidden)
    for (const query of queries) {
      for (const [toolId, evidence] of this.#evidenceOf(query, hidden, covered)) {
        if ((found.get(toolId)?.strength ?? 0) < evidence.strength) found.set(toolId, evidence)
      }
    }
    return found
  }

  #evidenceOf(query: string, hidden: ReadonlySet<string>, covered: number): Map<string, Evidence> {
    const power = NEARNESS_POWER - COVERED_POWER_CUT * covered
    const most = UNCOVERED_STRENGTH + (1 - UNCOVERED_STRENGTH) * covered
    const sums = new Map<string, { readonly byCaller: Map<string, number>; best: number; query: string }>()
    const now = this.#now()
    for (const { known, similarity } of this.#similar(query.slice(0, LONGEST_QUERY), hidden)) {
      const nearness = similarity ** power
      for (const [toolId, callers] of known.uses) {
        if (hidden.has(toolId)) continue
        const sum = sums.get(toolId) ?? { byCaller: new Map<string, number>(), best: 0, query: known.text }
        sums.set(toolId, sum)
        for (const [caller, { weight, at }] of callers) {
          const worth = weight * decay(now - at) * nearness
          const cap = caller.startsWith('=') ? CALLER_CAP : 1
          sum.byCaller.set(caller, Math.min(cap, (sum.byCaller.get(caller) ?? 0) + worth))
          if (worth > sum.best) Object.assign(sum, { best: worth, query: known.text })
        }
      }
    }
    return new Map(
      [...sums].map(([toolId, sum]) => {
        const total = [...sum.byCaller.values()].reduce((all, one) => all + one, 0)
        return [toolId, { strength: most * (1 - Math.exp(-STRENGTH_RATE * total)), query: sum.query }]
      }),
    )
  }

  /** Past queries that share a word with this one, with how alike they are. */
  #similar(query: string, hidden: ReadonlySet<string>): readonly Similar[] {
    const isSeen = (known: KnownQuery): boolean =>
      hidden.size === 0 || [...known.uses.keys()].some((id) => !hidden.has(id))
    const ofSeen = new Map<KnownTerm, number>()
    const rarityOf = (term: KnownTerm): number => {
      if (hidden.size === 0) return term.rarity
      const rarity = ofSeen.get(term) ?? rarityAmong(term.queries.filter(isSeen).length)
      ofSeen.set(term, rarity)
      return rarity
    }
    const shared = new Map<KnownQuery, number>()
    let own = 0
    for (const text of termsOf(query)) {
      const term = this.#byTerm.get(text)
      const rarity = term === undefined ? rarityAmong(0) : rarityOf(term)
      own += rarity
      for (const known of term?.queries ?? []) shared.set(known, (shared.get(known) ?? 0) + rarity)
    }
    if (hidden.size > 0) for (const known of [...shared.keys()]) if (!isSeen(known)) shared.delete(known)
    const compared = mostShared(shared)
    if (compared.length === 0) return []
    const vector = this.#vectorOf(query)
    const direction = directionOf(query)
    return compared
      .filter(([known]) => direction === undefined || !isReverse(direction, directionOfKnown(known)))
      .map(([known, share]) => {
        const byWords = share / Math.sqrt(own * sumOf(known.terms, rarityOf))
        const past = vector && this.#vectorOfKnown(known)
        const byMeaning = vector === undefined || past === undefined ? byWords : cosineOf(vector, past)
        return { known, similarity: WORDS_SHARE * byWords + (1 - WORDS_SHARE) * Math.max(0, byMeaning) }
      })
      .filter(({ similarity }) => similarity >= LEAST_SIMILARITY)
  }

  #newCallers(known: KnownQuery, toolId: string): Map<string, Weighed> {
    const callers = new Map<string, Weighed>()
    known.uses.set(toolId, callers)
    this.#tools.set(toolId, (this.#tools.get(toolId) ?? 0) + 1)
    return callers
  }

  /** Drops a use, and the query with its last one. */
  #dropUse(known: KnownQuery, toolId: string, caller: string): void {
    const callers = known.uses.get(toolId)
    if (callers?.delete(caller) !== true) return
    this.#size--
    subtract(this.#callers, caller)
    if (callers.size > 0) return
    known.uses.delete(toolId)
    subtract(this.#tools, toolId)
    if (known.uses.size === 0) this.#drop(known)
  }

  #newQuery(text: string): KnownQuery {
    const terms = termsOf(text).map((term) => this.#byTerm.get(term) ?? { text: term, queries: [], rarity: 0 })
    const known: KnownQuery = { text, terms, uses: new Map() }
    for (const term of terms) {
      term.queries.push(known)
      this.#recount(term)
    }
    return known
  }

  #vectorOf(text: string): ComparedVector | undefined {
    const { embedNow } = this.#options
    if (embedNow === undefined) return undefined
    const values = quantise(embedNow(text))
    return { values, inverseLength: inverseLength(values) }
  }

  #vectorOfKnown(known: KnownQuery): ComparedVector | undefined {
    known.vector ??= this.#vectorOf(known.text)
    return known.vector
  }

  #drop(known: KnownQuery): void {
    this.#queries.delete(known.text)
    for (const term of known.terms) {
      term.queries = term.queries.filter((other) => other !== known)
      this.#recount(term)
    }
  }

  #recount(term: KnownTerm): void {
    term.rarity = rarityAmong(term.queries.length)
    if (term.queries.length === 0) this.#byTerm.delete(term.text)
    else this.#byTerm.set(term.text, term)
  }

  #forgetOldest(): void {
    const [oldest] = this.#queries.values()
    if (oldest === undefined) return
    for (const [toolId, callers] of [...oldest.uses]) {
      for (const caller of [...callers.keys()]) this.#dropUse(oldest, toolId, caller)
    }
  }

  #countFor(caller: string): void {
    const uses = (this.#callers.get(caller) ?? 0) + 1
    this.#callers.set(caller, uses)
    if (uses > MOST_USES_OF_CALLER) this.#forgetOldestOf(caller)
  }

  /** A caller that teaches much replaces its own uses, not those of others. */
  #forgetOldestOf(caller: string): void {
    for (const known of this.#queries.values()) {
      for (const [toolId, callers] of known.uses) {
        if (callers.has(caller)) return this.#dropUse(known, toolId, caller)
      }
    }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }

  #checked(use: ToolUse): LearnedUse {
    const { query, toolId, weight = 1, at = this.#now(), by } = use
    if (typeof query !== 'string') throw invalidUse('query', 'query must be a string')
    if (typeof toolId !== 'string' || toolId === '') throw invalidUse('toolId', 'toolId must be the id of a tool')
    if (!(weight >= 0 && weight <= 1)) throw invalidUse('weight', 'weight must be a number from 0 to 1')
    if (!Number.isFinite(at)) throw invalidUse('at', 'at must be milliseconds since 1970')
    if (by !== undefined && typeof by !== 'string') throw invalidUse('by', 'by must be a string')
    return { query, toolId, weight, at: Math.min(at, this.#now()), ...(by !== undefined && { by }) }
  }
}

interface Similar {
  readonly known: KnownQuery
  readonly similarity: number
}

/** Those with most in common; by text where alike, so that the order depends on nothing else. */
function mostShared(shared: ReadonlyMap<KnownQuery, number>): readonly (readonly [KnownQuery, number])[] {
  let all = [...shared]
  if (all.length > 4 * MOST_COMPARED) {
    const enough = Float64Array.from(shared.values()).sort().at(-MOST_COMPARED) as number
    all = all.filter(([, share]) => share >= enough)
  }
  return all.sort(([a, one], [b, other]) => other - one || (a.text < b.text ? -1 : 1)).slice(0, MOST_COMPARED)
}

function directionOfKnown(known: KnownQuery): Direction | undefined {
  known.direction ??= directionOf(known.text) ?? null
  return known.direction ?? undefined
}

function sumOf(terms: readonly KnownTerm[], rarityOf: (term: KnownTerm) => number): number {
  let sum = 0
  for (const term of terms) sum += rarityOf(term)
  return sum
}

function subtract(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 0) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}

/** The share that is left after so many milliseconds. A clock that went back leaves all. */
function decay(ms: number): number {
  return 2 ** (-Math.max(0, ms) / HALF_LIFE_MS)
}

/** The text under which a query is kept: cut at 500 characters, in lower case, with single spaces. */
export function keptQuery(query: string): string {
  return query.slice(0, LONGEST_QUERY).replace(/\s+/gu, ' ').trim().toLowerCase()
}

function invalidUse(field: string, reason: string): ToolSearchError {
  return new ToolSearchError('INVALID_ARGUMENTS', { field, reason })
}
