import type { SearchApiAnswer, SearchApiRequest, SearchApiResult, SearchApiTool } from '@tooldex/contract/search-api'
import { SEARCH_API_VERSION } from '@tooldex/contract/search-api'
import type { SearchAnswer } from '@tooldex/search'
import type { Candidate, Choice, Selector } from '../select/selector.ts'
import { SelectFailure } from '../select/select-failure.ts'
import type { ToolSet } from './tool-set.ts'

/** Ranks the tools of a set: hybrid search alone, or a language model among the best that it found. */
export class Ranking {
  readonly #selector: Selector | undefined

  constructor(selector: Selector | undefined) {
    this.#selector = selector
  }

  async rank(set: ToolSet, request: SearchApiRequest, signal: AbortSignal): Promise<SearchApiAnswer> {
    const { query: queries, context, maxResults } = request
    const found = await set.provider.search({
      queries,
      maxResults: Math.max(maxResults, this.#selector?.maxCandidates ?? 0),
      explain: true,
      signal,
      ...(context !== undefined && { context }),
    })
    const hybrid = resultsOf(found, set)
    const { answeredBy, degraded } = found
    const plain = {
      results: hybrid.slice(0, maxResults),
      answeredBy,
      ...(degraded && { degraded }),
      apiVersion: SEARCH_API_VERSION,
    }
    if (this.#selector === undefined || queries.every((query) => query.trim() === '')) return plain
    try {
      const candidates = candidatesFrom(hybrid, set, this.#selector.maxCandidates)
      const choices = await this.#selector.select({ queries, context, candidates, maxResults }, signal)
      return { ...plain, results: withChoices(choices, hybrid, maxResults), answeredBy: 'llm' }
    } catch (error) {
      if (!(error instanceof SelectFailure)) throw error
      return { ...plain, degraded: { strategy: 'llm', reason: error.message } }
    }
  }
}

function resultsOf({ hits }: SearchAnswer, { byKey }: ToolSet): SearchApiResult[] {
  return hits.flatMap(({ id, relevance, explanation }) => {
    const tool = byKey.get(id)
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

/** What hybrid search found; where that leaves room, tools that share no word with the query may be meant, too. */
function candidatesFrom(hybrid: readonly SearchApiResult[], { byKey }: ToolSet, most: number): readonly Candidate[] {
  const candidates = new Map<string, Candidate>(hybrid.slice(0, most).map((result) => [result.toolKey, result]))
  for (const tool of byKey.values()) {
    if (candidates.size >= most) break
    if (!candidates.has(tool.toolKey)) candidates.set(tool.toolKey, { ...tool, relevance: 0 })
  }
  return [...candidates.values()]
}

/** The chosen ones first, then what hybrid search found beside them; relevance never rises on the way down. */
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
