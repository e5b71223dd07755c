import type { SearchHit } from './search-provider.ts'
import { shortDescription } from './short-description.ts'
import type { IndexedTool } from './tool.ts'
import type { ToolMatch } from './tool-index.ts'

/** A hit as a search returns it. Fields are named one by one: no part of a definition slips into a summary. */
export function toMatch(tool: IndexedTool, hit: Omit<SearchHit, 'id'>): ToolMatch {
  const { id, name, namespace, tags } = tool
  const { score, explanation } = hit
  const description = shortDescription(tool.description)
  return {
    id,
    name,
    ...(namespace !== undefined && { namespace }),
    ...(description !== undefined && { shortDescription: description }),
    ...(tags !== undefined && { tags }),
    relevance: clampRelevance(hit.relevance),
    score,
    ...(explanation !== undefined && { explanation }),
  }
}

/** Relevance as the contract wants it, also from a provider that breaks it. */
export function clampRelevance(relevance: number): number {
  return relevance > 0 ? Math.min(relevance, 1) : 0
}
