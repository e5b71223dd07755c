import { createHash } from 'node:crypto'
import type { SearchApiRequest } from '@tooldex/contract/search-api'
import { LRUCache } from 'lru-cache'

const ANSWER_MS = 60_000
/** Characters of all answers that are kept. */
const MOST_CHARACTERS = 32 * 1024 * 1024

/** Answers as they were sent, for a short while: to the same project, of the same tools, to the same question. */
export class Answers {
  readonly #answers: LRUCache<string, string> | undefined

  /** @param ttl milliseconds; 0 = nothing is kept */
  constructor(ttl: number = ANSWER_MS, now: () => number = () => performance.now()) {
    if (ttl > 0) {
      this.#answers = new LRUCache({
        maxSize: MOST_CHARACTERS,
        sizeCalculation: (body, key) => body.length + key.length,
        ttl,
        ttlResolution: 0,
        perf: { now },
      })
    }
  }

  get(key: string): string | undefined {
    return this.#answers?.get(key)
  }

  set(key: string, body: string): void {
    this.#answers?.set(key, body)
  }
}

/** What an answer depends on. */
export function answerKey(project: string, toolsHash: string, request: SearchApiRequest): string {
  const { query, context = null, maxResults } = request
  return createHash('sha256').update(JSON.stringify([project, toolsHash, query, context, maxResults])).digest('base64')
}
