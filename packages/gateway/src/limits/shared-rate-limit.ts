import { type RateFailure, RateLimit, rateLimited } from '../access/rate-limit.ts'
import type { Leases } from './leases.ts'

/** The dependencies of {@link SharedRateLimit}. */
export interface SharedRateLimitParts {
  /** The kind of limit: keys of different kinds do not meet. */
  readonly name: string
  readonly perMinute: number
  readonly leases: Pick<Leases, 'ask' | 'isAway' | 'tryAgain'>
  /** How many replicas share the limit, as far as it is known. */
  readonly replicas: () => number
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly failure?: RateFailure
}

interface Held {
  tokens: number
  /** No token is to be had before. */
  emptyUntil: number
  usedAt: number
  waiting: number
  renewing: Promise<boolean> | undefined
}

/** Of the limit: what a replica holds at a time. */
const LEASED_PART = 10
const MOST_KEYS = 10_000
/** Tokens that were not used for this long go back, so that another replica can have them. */
const RETURN_MS = 5_000
const SWEEP_MS = 1_000
/** How long an empty bucket is left alone at least. */
const EMPTY_MS = 100

/**
 * A rate limit of all replicas. Each spends tokens that it leased, a tenth of the limit at a time, and asks for more before
 * the last is spent: a request waits for the database only if it comes first or if many come at once. While the database is
 * away, each replica goes on with its share of the limit.
 */
export class SharedRateLimit {
  readonly #parts: SharedRateLimitParts
  readonly #chunk: number
  readonly #held = new Map<string, Held>()
  #alone: { readonly limit: RateLimit; readonly replicas: number } | undefined
  readonly #sweeper: NodeJS.Timeout

  constructor(parts: SharedRateLimitParts) {
    this.#parts = parts
    this.#chunk = Math.max(1, Math.ceil(parts.perMinute / LEASED_PART))
    this.#sweeper = setInterval(() => this.#giveBack(), SWEEP_MS).unref()
  }

  /** Counts a request. Synchronous while tokens are at hand. @throws GatewayError of the limit */
  take(key: string): void | Promise<void> {
    const held = this.#heldOf(key)
    const now = this.#parts.now()
    held.usedAt = now
    if (held.tokens >= 1) {
      held.tokens -= 1
      const isLow = held.tokens <= this.#chunk / 3
      if (isLow && now >= held.emptyUntil && !this.#parts.leases.isAway) void this.#renew(key, held)
      return undefined
    }
    if (now < held.emptyUntil) throw this.#refusal(held.emptyUntil - now)
    if (!this.#parts.leases.isAway) return this.#takeLater(key, held)
    this.#parts.leases.tryAgain()
    return this.#takeAlone(key)
  }

  close(): void {
    clearInterval(this.#sweeper)
  }

  async #takeLater(key: string, held: Held): Promise<void> {
    for (;;) {
      held.waiting++
      const isAnswered = await this.#renew(key, held)
      held.waiting--
      if (held.tokens >= 1) {
        held.tokens -= 1
        return
      }
      if (!isAnswered) return this.#takeAlone(key)
      const left = held.emptyUntil - this.#parts.now()
      if (left > 0) throw this.#refusal(left)
    }
  }

  /** Requests of one key share a question. Resolves to whether the database answered. */
  #renew(key: string, held: Held): Promise<boolean> {
    held.renewing ??= this.#ask(key, held).finally(() => (held.renewing = undefined))
    return held.renewing
  }

  async #ask(key: string, held: Held): Promise<boolean> {
    const { name, perMinute, leases, now } = this.#parts
    // Requests that come in the same moment are counted.
    await Promise.resolve()
    const wanted = Math.min(perMinute, Math.max(this.#chunk, held.waiting))
    const lease = await leases.ask({ key: `${name} ${key}`, perMinute, wanted, returned: 0 })
    if (lease === undefined) return false
    held.tokens += lease.granted
    held.emptyUntil = lease.granted < wanted ? now() + Math.max(lease.nextMs, EMPTY_MS) : 0
    return true
  }

  /** The share of this replica, by what was last known of the others. */
  #takeAlone(key: string): void {
    const replicas = Math.max(1, this.#parts.replicas())
    if (this.#alone?.replicas !== replicas) {
      const share = Math.max(1, Math.floor(this.#parts.perMinute / replicas))
      this.#alone = { replicas, limit: new RateLimit(share, this.#parts.now, this.#parts.failure) }
    }
    this.#alone.limit.take(key)
  }

  #refusal(leftMs: number): Error {
    return (this.#parts.failure ?? rateLimited)(Math.max(1, Math.ceil(leftMs / 1_000)), this.#parts.perMinute)
  }

  #heldOf(key: string): Held {
    const known = this.#held.get(key)
    const held = known ?? { tokens: 0, emptyUntil: 0, usedAt: 0, waiting: 0, renewing: undefined }
    this.#held.delete(key)
    this.#held.set(key, held)
    for (const oldest of this.#held.keys()) {
      if (this.#held.size <= MOST_KEYS) break
      this.#held.delete(oldest)
    }
    return held
  }

  #giveBack(): void {
    const { name, perMinute, leases, now } = this.#parts
    if (leases.isAway) return
    const until = now() - RETURN_MS
    for (const [key, held] of this.#held) {
      if (held.usedAt > until) return
      if (held.renewing !== undefined) continue
      this.#held.delete(key)
      if (held.tokens > 0) void leases.ask({ key: `${name} ${key}`, perMinute, wanted: 0, returned: held.tokens })
    }
  }
}
