import type { IndexedTool, SearchField } from '../tool/tool.ts'
import type { SavedReader, SavedWriter } from '../saved/saved-parts.ts'
import type { SavedTools } from '../saved/saved-tools.ts'
import type { ToolFilter } from '../tool/tool-filter.ts'

/** How search ranks. Open for providers that are not ours. */
export type SearchStrategy = 'lexical' | 'regex' | 'bm25' | 'embeddings' | 'hybrid' | 'cloud' | (string & {})

/** One search. Providers never decide permissions: `within` is already what the caller may see. */
export interface SearchRequest {
  /** One or more intents. Each is ranked on its own and the rankings are fused. */
  readonly queries: readonly string[]
  /** The task of the caller, for providers that can use it (a language model). Others ignore it. */
  readonly context?: string
  /** At most this many hits. */
  readonly maxResults: number
  /** Only these tools exist for this search, statistics included. Absent: all. */
  readonly within?: ToolFilter
  /** Hits say which words matched where. */
  readonly explain?: boolean
  /** Aborting rejects with the signal's reason where the provider can stop. */
  readonly signal?: AbortSignal
}

/** Why a hit is a hit: which words of the query met which fields, or in a sentence which strategy chose it. */
export interface Explanation {
  readonly matches: readonly { readonly word: string; readonly fields: readonly SearchField[] }[]
  /** One line for people and models. */
  readonly text: string
}

/** A ranked tool. */
export interface SearchHit {
  readonly id: string
  /** The provider's raw number; comparable within one answer only. */
  readonly score: number
  /**
   * 0 to 1. Of the first hit of `bm25`, `embeddings` and `hybrid` the probability that it serves the query; the others
   * keep their distance from it. `lexical` and `regex` give the share of what was asked for that matched.
   */
  readonly relevance: number
  /** The query is the tool's name or id; nothing is ranked before it. */
  readonly isExact?: true
  readonly explanation?: Explanation
}

/** The answer of a provider. */
export interface SearchAnswer {
  /** Best first; ties by id. */
  readonly hits: readonly SearchHit[]
  /** The strategy that ranked these hits; differs from the one asked where a fallback answered. */
  readonly answeredBy: SearchStrategy
  /** The id of the embedder whose vectors ranked these hits, where vectors did. */
  readonly embedder?: string
  /** Present when a preferred provider could not answer: which, and why. */
  readonly degraded?: { readonly strategy: SearchStrategy; readonly reason: string }
}

/** A change of the indexed tools, in id order within each list. `changed` holds the new definitions. */
export interface ToolChange {
  readonly added: readonly IndexedTool[]
  readonly changed: readonly IndexedTool[]
  readonly removed: readonly IndexedTool[]
}

/**
 * Ranks tools for queries. A provider receives every change through `apply` and answers from the tools that it
 * received. `provider-contract.case.ts` is the contract as a test suite; a provider is done when it passes.
 */
export interface SearchProvider {
  readonly strategy: SearchStrategy
  /** Same tools and request, same bytes out. Paging needs it. */
  readonly deterministic: boolean
  /** Takes over a change. Never throws for a valid tool; heavy work (embedding, network) happens later. */
  apply(change: ToolChange): void
  /**
   * Best first, at most `maxResults`, relevance in 0..1, ties by id. Blank queries yield no hits.
   * @throws ToolSearchError SEARCH_UNAVAILABLE when the provider cannot answer now and another one might.
   */
  search(request: SearchRequest): Promise<SearchAnswer>
  /** Writes what it derived from its tools; absent where that is quickly derived again. */
  save?(to: SavedWriter): void
  /**
   * Takes over tools together with what was derived from them. The provider must be new.
   * @throws ToolSearchError INVALID_SAVED_INDEX before anything was taken over, if it was derived from other tools
   */
  restore?(from: SavedReader, tools: SavedTools): void
}

/** Another word for a provider; the same interface. */
export type Searcher = SearchProvider
