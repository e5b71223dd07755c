import { createHash } from 'node:crypto'
import type { SearchApiAnswer, SearchApiRequest } from '@tooldex/contract/search-api'
import { LRUCache } from 'lru-cache'

const ANSWER_MS = 60_000
/** Results of all answers that are kept. */
const MOST_RESULTS = 100_000

/** Answers, for a short while: to the same project, of the same tools, to the same question. */
export class Answers {
  readonly #answers: LRUCache<string, SearchApiAnswer> | undefined

  /** @param ttl milliseconds; 0 = nothing is kept */
  constructor(ttl: number = ANSWER_MS, now: () => number = () => performance.now()) {
    if (ttl > 0) {
      this.#answers = new LRUCache({
        maxSize: MOST_RESULTS,
        sizeCalculation: ({ results }) => 1 + results.length,
        ttl,
        ttlResolution: 0,
        perf: { now },
      })
    }
  }

  get(key: string): SearchApiAnswer | undefined {
    return this.#answers?.get(key)
  }

  set(key: string, answer: SearchApiAnswer): void {
    this.#answers?.set(key, answer)
  }
}

/** What an answer depends on. */
export function answerKey(project: string, toolsHash: string, request: SearchApiRequest): string {
  const { query, context = null, maxResults } = request
  return createHash('sha256')
    .update(JSON.stringify([project, toolsHash, query, context, maxResults]))
    .digest('base64')
}
