import { refuseUnknown, ToolSearchError } from '../errors.ts'
import { coveredShare } from './covered-share.ts'
import { EvidenceSums } from './evidence-sums.ts'
import { KnownQueries, type KnownQuery, type Weighed } from './known-queries.ts'
import {
  COVERED_POWER_CUT,
  FIRST_WEIGHT,
  HALF_LIFE_MS,
  LONGEST_QUERY,
  MOST_USES,
  MOST_USES_OF_CALLER,
  NEARNESS_POWER,
  UNCOVERED_STRENGTH,
} from './parameters.ts'

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

/** The fields of a `ToolUse`. */
export const USE_FIELDS: readonly string[] = ['query', 'toolId', 'weight', 'at', 'by']

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

/** What past uses say about a query. */
export interface LearntEvidence {
  /** By tool id. */
  readonly tools: ReadonlyMap<string, Evidence>
  /** How much speaks for a server, 0 to 1: callers who used it for the like probably mean it again. */
  readonly servers: ReadonlyMap<string, number>
  /** The chance that the wanted tool was used before, after any query. */
  readonly covered: number
}

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
  readonly #queries: KnownQueries
  /** How many queries have uses of a tool. */
  readonly #tools = new Map<string, number>()
  /** How many uses a caller has. */
  readonly #callers = new Map<string, number>()
  #size = 0
  #nameless = 0
  #revision = 0
  /** The covered share of all uses, and as of which revision. */
  #covered = { revision: -1, share: 0 }

  /** @throws ToolSearchError INVALID_ARGUMENTS for an option that does not exist */
  constructor(options: LearningOptions = {}) {
    refuseUnknown(options, ['embedNow', 'now'])
    this.#options = options
    this.#queries = new KnownQueries(options.embedNow)
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
    const known = this.#queries.taught(text)
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

  /**
   * Forgets the uses that fit; answers how many. Without a selector all go.
   * @throws ToolSearchError INVALID_ARGUMENTS for a field that does not exist: it would select everything
   */
  forget(selector: UseSelector = {}): number {
    refuseUnknown(selector, ['query', 'toolId', 'by'])
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
   * What speaks for which tools and servers. Uses of tools that `isVisible` does not allow have no influence, not even on
   * the rarity of words: a caller's answers are those of a gateway that has only this caller's tools.
   * @param serverOf the server of a tool; a tool without one stands alone
   */
  evidence(
    queries: readonly string[],
    isVisible: (toolId: string) => boolean,
    serverOf: (toolId: string) => string | undefined = () => undefined,
  ): LearntEvidence {
    const tools = new Map<string, Evidence>()
    const servers = new Map<string, number>()
    if (this.#size === 0) return { tools, servers, covered: 0 }
    const hidden = this.#hidden(isVisible)
    const covered = this.#coveredShare(hidden)
    const most = UNCOVERED_STRENGTH + (1 - UNCOVERED_STRENGTH) * covered
    for (const query of queries) {
      const sums = this.#sumsFor(query, hidden, covered, serverOf)
      for (const [id, { strength, query: past }] of sums.tools.strengths()) {
        if ((tools.get(id)?.strength ?? 0) < most * strength) tools.set(id, { strength: most * strength, query: past })
      }
      for (const [server, { strength }] of sums.servers.strengths()) {
        // Where most wanted tools are new ones, the server of a past one tells even less than that tool.
        servers.set(server, Math.max(servers.get(server) ?? 0, covered ** 2 * strength))
      }
    }
    return { tools, servers, covered }
  }

  #hidden(isVisible: (toolId: string) => boolean): ReadonlySet<string> | undefined {
    let hidden: Set<string> | undefined
    for (const id of this.#tools.keys()) {
      if (isVisible(id)) continue
      hidden ??= new Set()
      hidden.add(id)
    }
    return hidden
  }

  #coveredShare(hidden: ReadonlySet<string> | undefined): number {
    if (hidden !== undefined) return coveredShare(this.#tools, hidden)
    if (this.#covered.revision !== this.#revision) {
      this.#covered = { revision: this.#revision, share: coveredShare(this.#tools, new Set()) }
    }
    return this.#covered.share
  }

  #sumsFor(
    query: string,
    hidden: ReadonlySet<string> | undefined,
    covered: number,
    serverOf: (toolId: string) => string | undefined,
  ): { readonly tools: EvidenceSums; readonly servers: EvidenceSums } {
    const power = NEARNESS_POWER - COVERED_POWER_CUT * covered
    const [tools, servers] = [new EvidenceSums(), new EvidenceSums()]
    const now = this.#now()
    for (const { known, similarity } of this.#queries.similar(query.slice(0, LONGEST_QUERY), hidden)) {
      const nearness = similarity ** power
      const { text, uses } = known
      const used = hidden === undefined ? uses.size : visibleTools(known, hidden)
      for (const [toolId, callers] of uses) {
        if (hidden?.has(toolId) === true) continue
        const server = serverOf(toolId) ?? toolId
        for (const [caller, { weight, at }] of callers) {
          const worth = decay(now - at) * nearness
          tools.add(toolId, caller, weight * worth, text)
          // A use that only confirms the ranking says as much of the server as any other.
          servers.add(server, caller, (Math.min(1, weight / FIRST_WEIGHT) * worth) / used, text)
        }
      }
    }
    return { tools, servers }
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
    if (known.uses.size === 0) this.#queries.drop(known)
  }

  #forgetOldest(): void {
    const oldest = this.#queries.values().next().value
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
    refuseUnknown(use, USE_FIELDS)
    const { query, toolId, weight = 1, at = this.#now(), by } = use
    if (typeof query !== 'string') throw invalidUse('query', 'query must be a string')
    if (typeof toolId !== 'string' || toolId === '') throw invalidUse('toolId', 'toolId must be the id of a tool')
    if (!(weight >= 0 && weight <= 1)) throw invalidUse('weight', 'weight must be a number from 0 to 1')
    if (!Number.isFinite(at)) throw invalidUse('at', 'at must be milliseconds since 1970')
    if (by !== undefined && typeof by !== 'string') throw invalidUse('by', 'by must be a string')
    return { query, toolId, weight, at: Math.min(at, this.#now()), ...(by !== undefined && { by }) }
  }
}

function visibleTools({ uses }: KnownQuery, hidden: ReadonlySet<string>): number {
  let count = 0
  for (const id of uses.keys()) if (!hidden.has(id)) count++
  return count
}

function subtract(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 0) - 1
  if (left > 0) counts.set(key, left)
  else counts.delete(key)
}

/** The share that is left after so many milliseconds. A clock that went back leaves all. */
function decay(ms: number): number {
  return ms <= 0 ? 1 : 2 ** (-ms / HALF_LIFE_MS)
}

/** The text under which a query is kept: cut at 500 characters, in lower case, with single spaces. */
export function keptQuery(query: string): string {
  return query.slice(0, LONGEST_QUERY).replace(/\s+/gu, ' ').trim().toLowerCase()
}

function invalidUse(field: string, reason: string): ToolSearchError {
  return new ToolSearchError('INVALID_ARGUMENTS', { field, reason })
}
