import type { SearchHit } from './search-provider.ts'
import { shortDescription } from './short-description.ts'
import type { IndexedTool } from './tool.ts'
import type { ToolMatch, ToolSummary } from './tool-index.ts'

/** What a search says of a tool, whatever the query. Kept: the same tools are found again and again. */
export class ToolSummaries {
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

/** Fields are named one by one: no part of a definition slips into a summary. */
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
export function clampRelevance(relevance: number): number {
  return relevance > 0 ? Math.min(relevance, 1) : 0
}
