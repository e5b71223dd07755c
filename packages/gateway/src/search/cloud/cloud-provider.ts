import { SEARCH_API_LIMITS } from '@tooldex/contract/search-api'
import {
  type SearchAnswer,
  type SearchProvider,
  type SearchRequest,
  type ToolChange,
  ToolSearchError,
} from '@tooldex/search'
import { readAnswer, SearchApiFailure } from './read-answer.ts'
import type { SearchApiLink } from './search-api-link.ts'
import { SendableTools, type SentTools } from './sent-tools.ts'

const { queries: MOST_QUERIES, queryLength, contextLength, tools: MOST_TOOLS, results } = SEARCH_API_LIMITS

/** A search with the project that it is for; only this provider uses it. */
export interface ProjectSearchRequest extends SearchRequest {
  readonly projectId?: string
}

/** Ranks through a Search API. Sends it the tools that the search may see, and checks its answer against them. */
export class CloudProvider implements SearchProvider {
  readonly strategy = 'cloud'
  /** The service may rank in any way. */
  readonly deterministic = false
  readonly #link: Pick<SearchApiLink, 'ask'>
  readonly #whileAsking: () => void
  readonly #tools = new SendableTools()

  /** @param whileAsking work to do while the service is asked, such as preparing its substitute */
  constructor(link: Pick<SearchApiLink, 'ask'>, whileAsking: () => void = () => {}) {
    this.#link = link
    this.#whileAsking = whileAsking
  }

  apply(change: ToolChange): void {
    this.#tools.apply(change)
  }

  async search(request: ProjectSearchRequest): Promise<SearchAnswer> {
    const { signal, projectId, explain = false } = request
    signal?.throwIfAborted()
    const queries = sentQueries(request.queries)
    const maxResults = Math.min(request.maxResults, results.most)
    const sent = this.#tools.within(request.within)
    if (queries.length === 0 || sent.count === 0 || maxResults < 1) return { hits: [], answeredBy: this.strategy }
    if (sent.count > MOST_TOOLS)
      throw unavailable(`a Search API takes ${MOST_TOOLS} tools, and these are ${sent.count}`)
    const check = { idOf: (key: string) => sent.idByKey.get(key), maxResults, explain }
    try {
      const body = bodyOf({ ...request, queries, maxResults }, sent)
      const asked = this.#link.ask({ projectId, body, signal, read: (answer) => readAnswer(answer, check) })
      this.#whileAsking()
      return { ...(await asked), answeredBy: this.strategy }
    } catch (error) {
      throw error instanceof SearchApiFailure ? unavailable(error.message, error) : error
    }
  }
}

/** Without blank and repeated ones, within the service's limits. */
function sentQueries(queries: readonly string[]): string[] {
  const distinct = new Set<string>()
  for (const query of queries) {
    const trimmed = query.trim().slice(0, queryLength)
    if (trimmed !== '') distinct.add(trimmed)
    if (distinct.size === MOST_QUERIES) break
  }
  return [...distinct]
}

/** The tools are JSON text already: they are most of the body, and the same for every search of a project. */
function bodyOf({ queries, context, maxResults, projectId }: ProjectSearchRequest, { json }: SentTools): string {
  const head = JSON.stringify({
    query: queries,
    ...(context !== undefined && { context: context.slice(0, contextLength) }),
    maxResults,
    ...(projectId !== undefined && { projectId }),
  })
  return `${head.slice(0, -1)},"tools":${json}}`
}

function unavailable(reason: string, cause?: unknown): ToolSearchError {
  return new ToolSearchError('SEARCH_UNAVAILABLE', { reason }, cause === undefined ? {} : { cause })
}
