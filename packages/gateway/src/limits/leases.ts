import type { AskedLease, Lease, SharedLimits } from '../model/shared-limits.ts'

/** The dependencies of {@link Leases}. */
export interface LeasesParts {
  readonly store: Pick<SharedLimits, 'lease'>
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly log: { warn(fields: Readonly<Record<string, unknown>>, message: string): void }
  /** How long a request waits for the database, once, before limits go on without it. Default 1,000. */
  readonly waitMs?: number
}

interface Pending {
  asked: AskedLease
  readonly resolve: (lease: Lease | undefined) => void
  readonly promise: Promise<Lease | undefined>
}

const WAIT_MS = 1_000
/** How often the database is tried again while it is away. */
const TRY_AGAIN_MS = 500

/**
 * Asks the database for tokens of shared limits: for all keys that are waiting in one statement, one at a time. While the
 * database is away nothing waits for it; it is tried in the background.
 */
export class Leases {
  readonly #parts: LeasesParts
  #pending = new Map<string, Pending>()
  #isAsking = false
  #isAway = false
  #triedAt = Number.NEGATIVE_INFINITY

  constructor(parts: LeasesParts) {
    this.#parts = parts
  }

  /** Whether the database did not answer lately: limits hold for this replica alone. */
  get isAway(): boolean {
    return this.#isAway
  }

  /** Tokens of a bucket; undefined if the database is away. */
  ask(asked: AskedLease): Promise<Lease | undefined> {
    if (this.#isAway) {
      this.tryAgain()
      return Promise.resolve(undefined)
    }
    const known = this.#pending.get(asked.key)
    if (known !== undefined) {
      const { wanted, returned } = known.asked
      known.asked = { ...asked, wanted: wanted + asked.wanted, returned: returned + asked.returned }
      return known.promise
    }
    const { promise, resolve } = Promise.withResolvers<Lease | undefined>()
    this.#pending.set(asked.key, { asked, promise, resolve })
    if (!this.#isAsking) void this.#askAll()
    return promise
  }

  /** Finds out in the background, now and then, whether the database is back. */
  tryAgain(): void {
    if (this.#isAsking || this.#parts.now() - this.#triedAt < TRY_AGAIN_MS) return
    this.#isAsking = true
    void this.#send(new Map()).finally(() => (this.#isAsking = false))
  }

  async #askAll(): Promise<void> {
    this.#isAsking = true
    // Requests of this moment go with it.
    await Promise.resolve()
    while (this.#pending.size > 0) {
      const batch = this.#pending
      this.#pending = new Map()
      await this.#send(batch)
    }
    this.#isAsking = false
  }

  async #send(batch: ReadonlyMap<string, Pending>): Promise<void> {
    this.#triedAt = this.#parts.now()
    const giveUp = setTimeout(() => this.#away(batch, 'no answer in time'), this.#parts.waitMs ?? WAIT_MS)
    try {
      const leases = await this.#parts.store.lease(Array.from(batch.values(), ({ asked }) => asked))
      this.#isAway = false
      for (const lease of leases) batch.get(lease.key)?.resolve(lease)
    } catch (error) {
      this.#away(batch, error instanceof Error ? error.message : String(error))
    } finally {
      clearTimeout(giveUp)
    }
  }

  #away(batch: ReadonlyMap<string, Pending>, reason: string): void {
    if (!this.#isAway) {
      this.#parts.log.warn({ reason }, 'limits are not shared while the database is away; each replica keeps its share')
    }
    this.#isAway = true
    for (const pending of [batch, this.#pending]) for (const { resolve } of pending.values()) resolve(undefined)
    this.#pending.clear()
  }
}
