import { LRUCache } from 'lru-cache'
import type { SearchApiLimits } from '../options.ts'
import { ProblemError } from '../problem-error.ts'
import type { Caller } from './gate.ts'

const CONCURRENT_REQUESTS = 128
const MOST_CALLERS = 10_000

interface Allowance {
  left: number
  at: number
}

/** Limits concurrent requests, and the rate of each caller. */
export class RequestLimits {
  readonly #limits: SearchApiLimits
  readonly #now: () => number
  readonly #allowances = new LRUCache<string, Allowance>({ max: MOST_CALLERS })
  #running = 0

  constructor(limits: SearchApiLimits, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** Runs `work` for the caller, within the limits. @throws ProblemError TOO_MANY_REQUESTS */
  async pass<T>(caller: Caller, work: () => Promise<T>): Promise<T> {
    this.#spend(caller)
    if (this.#running >= (this.#limits.concurrentRequests ?? CONCURRENT_REQUESTS)) {
      throw tooMany('The service has as many requests as it can answer at a time.', 1)
    }
    this.#running += 1
    try {
      return await work()
    } finally {
      this.#running -= 1
    }
  }

  #spend({ id }: Caller): void {
    const { requestsPerSecond } = this.#limits
    if (requestsPerSecond === undefined) return
    const now = this.#now()
    const most = Math.max(1, 2 * requestsPerSecond)
    const { left, at } = this.#allowances.get(id) ?? { left: most, at: now }
    const grown = Math.min(most, left + (Math.max(0, now - at) / 1_000) * requestsPerSecond)
    this.#allowances.set(id, { left: grown < 1 ? grown : grown - 1, at: now })
    if (grown < 1) {
      const seconds = Math.max(1, Math.ceil((1 - grown) / requestsPerSecond))
      throw tooMany(`The token may ask ${requestsPerSecond} times a second.`, seconds)
    }
  }
}

function tooMany(detail: string, seconds: number): ProblemError {
  return new ProblemError('TOO_MANY_REQUESTS', `${detail} Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
