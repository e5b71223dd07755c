import { GatewayError } from '../errors.ts'

const WINDOW_MS = 60_000
/** Maximum number of keys. An evicted key starts over with its full limit. */
const MOST_KEYS = 10_000

/** Makes the error of a request beyond a limit. @param retryAfter in seconds */
export type RateFailure = (retryAfter: number, perMinute: number) => GatewayError

/** The error of a request beyond a limit of requests. */
export function rateLimited(retryAfter: number, perMinute: number): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    retryAfter,
    reason: `at most ${perMinute} requests per minute are allowed`,
    remedy: 'Wait for the time in Retry-After',
  })
}

/**
 * Limits the requests per minute and key with a token bucket that refills continuously. Memory is bounded.
 */
export class RateLimit {
  readonly #perMinute: number
  readonly #now: () => number
  readonly #left = new Map<string, { at: number; left: number }>()

  readonly #failure: RateFailure

  /** @param now milliseconds of a monotonic clock */
  constructor(perMinute: number, now: () => number, failure: RateFailure = rateLimited) {
    this.#perMinute = perMinute
    this.#now = now
    this.#failure = failure
  }

  /** Counts a request. @throws GatewayError RATE_LIMITED */
  take(key: string): void {
    const now = this.#now()
    const known = this.#left.get(key)
    const grown = known === undefined ? this.#perMinute : known.left + ((now - known.at) / WINDOW_MS) * this.#perMinute
    const left = Math.min(this.#perMinute, grown)
    this.#left.delete(key)
    this.#left.set(key, { at: now, left: left < 1 ? left : left - 1 })
    this.#evictOldest()
    if (left >= 1) return
    const seconds = Math.ceil(((1 - left) / this.#perMinute) * (WINDOW_MS / 1_000))
    throw this.#failure(Math.max(1, seconds), this.#perMinute)
  }

  #evictOldest(): void {
    for (const oldest of this.#left.keys()) {
      if (this.#left.size <= MOST_KEYS) return
      this.#left.delete(oldest)
    }
  }
}
