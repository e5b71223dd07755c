import { refuseUnknown, ToolSearchError } from '../errors.ts'
import type { SearchRequest } from '../providers/search-provider.ts'
import { type ToolFilter, readFilter } from '../tool/tool-filter.ts'
import type { SearchOptions, SearchPageOptions } from './tool-index.ts'

const DEFAULT_COUNT = 10
const MAX_COUNT = 100

const SEARCH_OPTIONS: readonly string[] = [
  ...['maxResults', 'within', 'explain', 'context', 'minRelevance', 'signal'],
  ...['pageSize', 'cursor'],
]

/** The arguments of a search, checked. */
export interface SearchArguments {
  /** Without blank ones; none means that the first tools by id are asked for. */
  readonly queries: readonly string[]
  readonly within: ToolFilter | undefined
  readonly minRelevance: number
  /** The optional parts of a provider's request, absent where not given. */
  readonly extras: Pick<SearchRequest, 'context' | 'explain' | 'signal'>
}

/**
 * Checks query and options.
 * @throws ToolSearchError INVALID_ARGUMENTS; the signal's reason when it is aborted already
 */
export function readSearchArguments(query: unknown, options: SearchOptions | SearchPageOptions): SearchArguments {
  refuseUnknown(options, SEARCH_OPTIONS)
  const { context, explain, signal, minRelevance } = options
  if (context !== undefined && typeof context !== 'string') throw invalidArgument('context', 'context must be a string')
  signal?.throwIfAborted()
  return {
    queries: readQueries(query),
    within: readFilter(options.within),
    minRelevance: typeof minRelevance === 'number' && minRelevance > 0 ? minRelevance : 0,
    extras: {
      ...(context !== undefined && { context }),
      ...(explain === true && { explain }),
      ...(signal !== undefined && { signal }),
    },
  }
}

/** Everything that decides which tools a search finds, in fixed places, the queries last. */
export function identityOfSearch({ queries, within, minRelevance, extras }: SearchArguments): readonly string[] {
  const scope = within !== undefined && 'fingerprint' in within ? within.fingerprint : 'all'
  return ['search', scope, String(minRelevance), extras.context ?? '', ...queries]
}

function readQueries(query: unknown): readonly string[] {
  const queries: readonly unknown[] = Array.isArray(query) ? query : [query]
  return queries.filter((text): text is string => {
    if (typeof text !== 'string') throw invalidArgument('query', 'query must be a string or a list of strings')
    return text.trim() !== ''
  })
}

/** How many results or entries of a page: floored and clamped to 1…100; the default for what is not a number. */
export function readCount(count: unknown, byDefault = DEFAULT_COUNT): number {
  if (typeof count !== 'number' || Number.isNaN(count)) return byDefault
  return Math.min(Math.max(Math.floor(count), 1), MAX_COUNT)
}

/** A list that is really an array, copied, so that a strange one is read once. */
export function readList(list: unknown, field: string): readonly unknown[] {
  try {
    if (Array.isArray(list)) return Array.from(list)
  } catch (cause) {
    throw new ToolSearchError('INVALID_ARGUMENTS', { field, reason: `${field} cannot be read` }, { cause })
  }
  throw invalidArgument(field, `${field} must be a list`)
}

function invalidArgument(field: string, reason: string): ToolSearchError {
  return new ToolSearchError('INVALID_ARGUMENTS', { field, reason })
}
