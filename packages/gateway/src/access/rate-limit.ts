import { GatewayError } from '../errors.ts'

const WINDOW_MS = 60_000
/** Remembered at a time; whoever is forgotten begins anew, which lets more through and never less. */
const MOST_KEYS = 10_000

/**
 * Lets each key make so many requests in a minute, evenly: what is left grows with time up to the whole. Memory is
 * bounded, whoever comes.
 */
export class RateLimit {
  readonly #perMinute: number
  readonly #now: () => number
  readonly #left = new Map<string, { at: number; left: number }>()

  /** @param now milliseconds of any clock that does not go back */
  constructor(perMinute: number, now: () => number) {
    this.#perMinute = perMinute
    this.#now = now
  }

  /** Counts a request. @throws GatewayError RATE_LIMITED */
  take(key: string): void {
    const now = this.#now()
    const known = this.#left.get(key)
    const grown = known === undefined ? this.#perMinute : known.left + ((now - known.at) / WINDOW_MS) * this.#perMinute
    const left = Math.min(this.#perMinute, grown)
    this.#left.delete(key)
    this.#left.set(key, { at: now, left: left < 1 ? left : left - 1 })
    this.#forgetOldest()
    if (left >= 1) return
    throw new GatewayError('RATE_LIMITED', {
      retryAfterSeconds: Math.max(1, Math.ceil(((1 - left) / this.#perMinute) * (WINDOW_MS / 1_000))),
      reason: `at most ${this.#perMinute} requests a minute are taken`,
      remedy: 'Wait as long as Retry-After says',
    })
  }

  #forgetOldest(): void {
    for (const oldest of this.#left.keys()) {
      if (this.#left.size <= MOST_KEYS) return
      this.#left.delete(oldest)
    }
  }
}
