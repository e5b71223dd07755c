import { cleanText } from '@tooldex/http-kit/clean-text'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import type { SearchAnswer, SearchHit } from '@tooldex/search'

const LONGEST_EXPLANATION = 300
const LONGEST_REASON = 200
/** More than can be asked for; the rest is ignored. */
const MOST_RESULTS_READ = 1_000

/** The request that an answer is checked against. */
export interface AnswerCheck {
  /** The id of a tool that was sent, by the key that it was sent with. */
  readonly idOf: (toolKey: string) => string | undefined
  readonly maxResults: number
  readonly explain: boolean
}

interface Usable {
  readonly id: string
  readonly relevance: number
  readonly explanation: string
}

/** Why a Search API could not be used this time: a sentence for people, without any text of the service. */
export class SearchApiFailure extends Error {
  override readonly name = 'SearchApiFailure'
  /** The service works, but refuses the token, the project or the request. Another project may succeed. */
  readonly isRefusal: boolean
  /** The status of its answer; 0 if there was none. */
  readonly status: number
  /** The code of the problem that it answered with. */
  readonly problem: string | undefined

  constructor(reason: string, options: ErrorOptions & FailureFacts = {}) {
    const { isRefusal = false, status = 0, problem, ...errorOptions } = options
    super(reason, errorOptions)
    this.isRefusal = isRefusal
    this.status = status
    this.problem = problem
  }
}

interface FailureFacts {
  readonly isRefusal?: boolean
  readonly status?: number
  readonly problem?: string | undefined
}

/**
 * The usable part of an answer: tools that were sent, each once, with a relevance from 0 to 1. All other results are
 * dropped. The order is that of the service.
 * @throws SearchApiFailure for a malformed answer, or one that has results but none that can be used
 */
export function readAnswer(answer: unknown, check: AnswerCheck): Pick<SearchAnswer, 'hits' | 'degraded'> {
  const { results, degraded } = asObject(answer)
  if (!Array.isArray(results)) throw new SearchApiFailure('answered with something that is not a search result')
  const usable = usableOf(results.slice(0, MOST_RESULTS_READ), check)
  if (results.length > 0 && usable.length === 0) throw new SearchApiFailure('answered with tools that it was not sent')
  const best = usable.slice(0, check.maxResults)
  const reason = degradedReason(degraded)
  return {
    hits: best.map((result, index) => hitOf(result, 1 / (index + 1), check.explain)),
    ...(reason !== undefined && { degraded: { strategy: 'cloud', reason } }),
  }
}

function usableOf(results: readonly unknown[], { idOf }: AnswerCheck): Usable[] {
  const usable = new Map<string, Usable>()
  for (const result of results) {
    const { toolKey, relevance, explanation } = asObject(result)
    if (typeof toolKey !== 'string' || typeof relevance !== 'number' || Number.isNaN(relevance)) continue
    const id = idOf(toolKey)
    if (id === undefined || usable.has(id)) continue
    usable.set(id, {
      id,
      relevance: Math.min(1, Math.max(0, relevance)),
      explanation: typeof explanation === 'string' ? cleanText(explanation, LONGEST_EXPLANATION) : '',
    })
  }
  return [...usable.values()]
}

/** The score is the rank: relevances may be equal, or fused from several queries, where the service preferred one. */
function hitOf({ id, relevance, explanation }: Usable, score: number, explain: boolean): SearchHit {
  return { id, score, relevance, ...(explain && { explanation: { matches: [], text: explanation } }) }
}

/** Why the service itself used a substitute. */
function degradedReason(degraded: unknown): string | undefined {
  if (!isRecord(degraded)) return undefined
  const { strategy, reason } = asObject(degraded)
  const cause = [strategy, reason].filter((part) => typeof part === 'string').join(': ')
  return `the Search API is degraded: ${cleanText(cause, LONGEST_REASON) || 'it gives no reason'}`
}

function asObject(value: unknown): JsonObject & AnswerFields {
  return isRecord(value) ? value : {}
}

interface AnswerFields {
  readonly results?: unknown
  readonly degraded?: unknown
  readonly toolKey?: unknown
  readonly relevance?: unknown
  readonly explanation?: unknown
  readonly strategy?: unknown
  readonly reason?: unknown
}
