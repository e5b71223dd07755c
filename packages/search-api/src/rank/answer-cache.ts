import { createHash } from 'node:crypto'
import type { SearchApiAnswer, SearchApiQuestion, ToolRule } from '@tooldex/contract/search-api'
import { LRUCache } from 'lru-cache'

const ANSWER_MS = 60_000
/** In all cached answers. */
const MOST_RESULTS = 100_000

/** Caches answers for a short time, by project, tools and question. */
export class AnswerCache {
  readonly #answers: LRUCache<string, SearchApiAnswer> | undefined

  /** @param ttl milliseconds; 0 = no cache */
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

/** A hash of everything that an answer depends on. */
export function answerKey(project: string, toolsHash: string, question: SearchApiQuestion, rule?: ToolRule): string {
  const { query, context = null, maxResults } = question
  return createHash('sha256')
    .update(JSON.stringify([project, toolsHash, query, context, maxResults, rule]))
    .digest('base64')
}
