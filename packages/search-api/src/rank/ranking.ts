import {
  SEARCH_API_VERSION,
  type SearchApiAnswer,
  type SearchApiQuestion,
  type SearchApiResult,
  type SearchApiTool,
} from '@tooldex/contract/search-api'
import { type SearchAnswer, verdictOf } from '@tooldex/search'
import { type Candidate, type Choice, SelectFailure, type Selector } from '../select/selection.ts'
import type { SearchedTools } from './tool-sets.ts'

/** Ranks the tools that a search sees: by hybrid search alone, or by a language model among its best results. */
export class Ranking {
  readonly #selector: Selector | undefined

  constructor(selector: Selector | undefined) {
    this.#selector = selector
  }

  async rank(searched: SearchedTools, question: SearchApiQuestion, signal: AbortSignal): Promise<SearchApiAnswer> {
    const { query: queries, context, maxResults } = question
    const found = await searched.search({
      queries,
      maxResults: Math.max(maxResults, this.#selector?.maxCandidates ?? 0),
      explain: true,
      signal,
      ...(context !== undefined && { context }),
    })
    const hybrid = resultsOf(found, searched)
    const { answeredBy, degraded } = found
    const answer = {
      results: hybrid.slice(0, maxResults),
      answeredBy,
      verdict: verdictOf(found.hits[0]?.relevance),
      ...(degraded && { degraded }),
      apiVersion: SEARCH_API_VERSION,
    }
    if (this.#selector === undefined || queries.every((query) => query.trim() === '')) return answer
    try {
      const candidates = candidatesFrom(hybrid, searched, this.#selector.maxCandidates)
      const choices = await this.#selector.select({ queries, context, candidates, maxResults }, signal)
      const results = withChoices(choices, hybrid, maxResults)
      return { ...answer, results, answeredBy: 'llm', verdict: verdictOf(results[0]?.relevance) }
    } catch (error) {
      if (!(error instanceof SelectFailure)) throw error
      return { ...answer, degraded: { strategy: 'llm', reason: error.message } }
    }
  }
}

function resultsOf({ hits }: SearchAnswer, searched: SearchedTools): SearchApiResult[] {
  return hits.flatMap(({ id, relevance, explanation }) => {
    const tool = searched.tool(id)
    return tool === undefined ? [] : [resultOf(tool, relevance, explanation?.text)]
  })
}

function resultOf(tool: SearchApiTool, relevance: number, explanation: string | undefined): SearchApiResult {
  const { toolKey, toolName, serverName, description } = tool
  return {
    toolKey,
    toolName,
    serverName,
    ...(description !== undefined && { description }),
    relevance,
    ...(explanation !== undefined && explanation !== '' && { explanation }),
  }
}

/** The results of hybrid search; if they are few, other tools as well: a match may share no word with the query. */
function candidatesFrom(
  hybrid: readonly SearchApiResult[],
  searched: SearchedTools,
  most: number,
): readonly Candidate[] {
  const candidates = new Map<string, Candidate>(hybrid.slice(0, most).map((result) => [result.toolKey, result]))
  for (const tool of searched.tools()) {
    if (candidates.size >= most) break
    if (!candidates.has(tool.toolKey)) candidates.set(tool.toolKey, { ...tool, relevance: 0 })
  }
  return [...candidates.values()]
}

/** The choices first, then the other results of hybrid search; relevance never rises on the way down. */
function withChoices(
  choices: readonly Choice[],
  hybrid: readonly SearchApiResult[],
  maxResults: number,
): SearchApiResult[] {
  const chosen = choices.map(({ candidate, relevance, why }) => resultOf(candidate, relevance, why))
  const keys = new Set(chosen.map(({ toolKey }) => toolKey))
  const least = chosen.at(-1)?.relevance ?? 1
  const others = hybrid
    .filter(({ toolKey }) => !keys.has(toolKey))
    .map((result) => ({ ...result, relevance: Math.min(result.relevance, least) }))
  return [...chosen, ...others].slice(0, maxResults)
}
