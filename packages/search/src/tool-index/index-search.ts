import type { LearnedUses } from '../learning/learned-uses.ts'
import { searchWithUses } from '../learning/search-with-uses.ts'
import type { SearchArguments } from './search-arguments.ts'
import type { SearchHit, SearchProvider } from '../providers/search-provider.ts'
import { verdictOf } from '../providers/verdict.ts'
import { shortDescription } from '../tool/short-description.ts'
import { allows } from '../tool/tool-filter.ts'
import type { SearchResults, ToolMatch, ToolSummary } from './tool-index.ts'
import type { ToolStore } from './tool-store.ts'
import type { IndexedTool } from '../tool/tool.ts'

/** Paging goes no deeper into a ranking than this. */
export const MAX_RANKED = 1_000

/** Which part of the results is wanted. */
export interface ResultRange {
  readonly offset: number
  readonly count: number
  /** How many hits to ask the provider for. Fused rankings differ with it, so all pages must ask for the same. */
  readonly ranked: number
}

/** Answers searches from a store and a provider. */
export class IndexSearch {
  readonly #store: ToolStore
  readonly #provider: SearchProvider
  readonly #uses: LearnedUses
  readonly #summaries = new ToolSummaries()

  constructor(store: ToolStore, provider: SearchProvider, uses: LearnedUses) {
    this.#uses = uses
    this.#store = store
    this.#provider = provider
  }

  /** The results in `range`. Without a query, the tools by id: nothing was asked, so nothing is relevant. */
  async results(asked: SearchArguments, range: ResultRange): Promise<SearchResults> {
    if (asked.queries.length === 0) {
      const tools = this.#store.slice(asked.within, range.offset, range.count)
      return {
        results: tools.map((tool) => this.#summaries.toMatch(tool, { score: 0, relevance: 0 })),
        answeredBy: 'none',
      }
    }
    const { queries, within, extras } = asked
    const request = { queries, maxResults: range.ranked, ...(within !== undefined && { within }), ...extras }
    const { hits, answeredBy, embedder, degraded } = await searchWithUses(this.#provider, this.#uses, request, {
      isVisible: (id) => this.#isVisible(id, within),
      serverOf: (id) => this.#store.entries.get(id)?.tool.namespace,
    })
    const results = this.#matches(hits, asked, range)
    return {
      results,
      answeredBy,
      verdict: verdictOf(hits[0]?.relevance),
      ...(embedder !== undefined && { embedder }),
      ...(degraded !== undefined && { degraded }),
    }
  }

  #isVisible(id: string, within: SearchArguments['within']): boolean {
    const tool = this.#store.entries.get(id)?.tool
    return tool !== undefined && allows(within, tool)
  }

  /**
   * Providers are not trusted: hits outside of the filter, repeated or removed ones are left out here, whatever
   * it answers.
   */
  #matches(hits: readonly SearchHit[], asked: SearchArguments, { offset, count }: ResultRange): readonly ToolMatch[] {
    const seen = new Set<string>()
    const matches: ToolMatch[] = []
    for (const hit of hits) {
      if (matches.length === count) break
      const tool = this.#store.entries.get(hit.id)?.tool
      if (tool === undefined || seen.has(hit.id) || !allows(asked.within, tool)) continue
      if (clampRelevance(hit.relevance) < asked.minRelevance) continue
      seen.add(hit.id)
      if (seen.size > offset) matches.push(this.#summaries.toMatch(tool, hit))
    }
    return matches
  }
}

/** The summary of a tool in results, the same for every query. Cached: the same tools are found again and again. */
class ToolSummaries {
  readonly #kept = new WeakMap<IndexedTool, ToolSummary>()

  /** A hit as a search returns it. */
  toMatch(tool: IndexedTool, hit: Omit<SearchHit, 'id'>): ToolMatch {
    const { score, explanation } = hit
    const match = { ...this.#summaryOf(tool), relevance: clampRelevance(hit.relevance), score }
    return explanation === undefined ? match : { ...match, explanation }
  }

  #summaryOf(tool: IndexedTool): ToolSummary {
    const kept = this.#kept.get(tool)
    if (kept !== undefined) return kept
    const summary = summarise(tool)
    this.#kept.set(tool, summary)
    return summary
  }
}

/** Fields are named one by one: no other part of a definition gets into a summary. */
function summarise({ id, name, namespace, description, tags }: IndexedTool): ToolSummary {
  const short = shortDescription(description)
  return {
    id,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(short !== undefined && { shortDescription: short }),
    ...(tags !== undefined && { tags }),
  }
}

/** Relevance as the contract wants it, also from a provider that breaks it. */
function clampRelevance(relevance: number): number {
  return relevance > 0 ? Math.min(relevance, 1) : 0
}
