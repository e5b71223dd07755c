import type { WordStatistics } from '../providers/bm25/index/word-statistics.ts'
import type { MeaningStatistics } from './meaning-statistics.ts'

/**
 * Finds candidates in a catalog that may be too large for one process; `EngineSearch` ranks them. An engine holds
 * analysed tools and numbers, no definitions. `engine-contract.case.ts` is the contract as a test suite.
 *
 * An engine that cannot answer now, or that is behind the revision that a search needs, throws a `ToolSearchError`
 * SEARCH_UNAVAILABLE; its `details.problem` is `failed` where the engine failed at what it stored.
 */
export interface CatalogEngine {
  /** The revision of the catalog that the engine has; 0 while it is empty. */
  revision(): Promise<number>

  /**
   * Takes over a change, as a whole or not at all. A delta that the engine has already does no harm.
   * @throws ToolSearchError REVISION_GAP when the delta does not begin where the engine is
   */
  apply(delta: CatalogDelta, signal?: AbortSignal): Promise<void>

  /** The tools, at most `k`, that are likely to be the best for what is wanted, with the statistics to rank them by. */
  candidates(wanted: Wanted, rule: ToolRule, k: number, options?: CandidateOptions): Promise<Candidates>

  /** All tools of a narrow rule, in no particular order; absent where there are more than `most`. */
  scope(rule: ToolRule, most: number): Promise<readonly AnalysedTool[] | undefined>

  /** Tidies up what changes left behind. Only the writer calls it, and may search meanwhile. */
  tend(): Promise<void>

  close(): Promise<void>
}

/** How candidates are looked for. */
export interface CandidateOptions {
  /** The engine must have this revision at least. */
  readonly atLeast?: number
  readonly signal?: AbortSignal
}

/**
 * What a caller may see, unexpanded. An engine makes its own filter of it; `allowedByRule` checks every answer again.
 */
export interface ToolRule {
  /** Whose rule it is. Equal tenants with equal rules may share what an engine keeps for them. */
  readonly tenant: string
  /** Ids of servers. Tools that belong to no server are allowed with `all` alone. */
  readonly servers: 'all' | readonly string[]
  /** Ids of the only tools that are allowed, where an allow-list decides. */
  readonly only?: readonly string[]
  /** Ids of tools that are not allowed. */
  readonly except: readonly string[]
  readonly traits?: { readonly readOnly?: true; readonly notDestructive?: true }
}

/** A tool as it was analysed: enough to rank, not to call. `ToolAnalyser` makes one. */
export interface AnalysedTool {
  readonly id: string
  /** The id of its server; empty for a tool that belongs to none. */
  readonly server: string
  /** Its words and those of its server, packed. */
  readonly terms: Uint8Array
  /** Absent where no embedder is used. */
  readonly vector?: Int8Array
  /** A sum of `TRAIT`s. */
  readonly traits: number
}

/** A change from one revision of the catalog to a later one. */
export interface CatalogDelta {
  readonly from: number
  readonly to: number
  /** New tools, and those that take the place of one with the same id. */
  readonly put: readonly AnalysedTool[]
  /** Ids; one that the engine does not have is passed over. */
  readonly remove: readonly string[]
}

/** What a query asks for, as far as it can be told without tools. */
export interface Wanted {
  readonly words: readonly WantedStem[]
  /** The meaning of the query as a whole, then of its clauses. Only their direction counts. */
  readonly vectors: readonly Float32Array[]
  /** Names that the query may be, folded. */
  readonly names: readonly string[]
  /** Beginnings of words, from the query language. */
  readonly prefixes: readonly string[]
}

/** A stem that a query asks for. */
export interface WantedStem {
  readonly stem: string
  /** Its part in the query before rarity, which is the engine's to know: less for another word than the typed one. */
  readonly weight: number
  /** Whether the query says it, rather than a word that means the same. */
  readonly said: boolean
  /** As typed, if the query says it and has no other word for it: perhaps it is misspelt. */
  readonly word?: string
}

/** What an engine found. */
export interface Candidates {
  /** The revision that the tools and the statistics are of. */
  readonly revision: number
  readonly tools: readonly AnalysedTool[]
  readonly statistics: CatalogStatistics
  /** Whether these are all tools that the rule allows: they are then ranked by their own statistics. */
  readonly complete: boolean
}

/** The statistics of the whole catalog, as far as the candidates and the query need them. */
export interface CatalogStatistics {
  readonly words: WordStatistics
  /** Absent where the tools have no vectors or none were wanted. */
  readonly meaning?: MeaningStatistics
}
