import { GatewayError } from '../../errors.ts'

const WINDOW_MS = 60_000
const MAX_FAILURES = 20
/** Addresses remembered at a time; an attacker with more than that is not stopped by counting. */
const MAX_ADDRESSES = 10_000

/** Counts wrong tokens per address. Right ones are never counted, so that nobody can lock another out. */
export class AttemptLimit {
  readonly #now: () => number
  readonly #failures = new Map<string, { since: number; count: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Notes a wrong token. @throws GatewayError TOO_MANY_ATTEMPTS once there were too many in a minute */
  failed(address: string): void {
    const now = this.#now()
    const known = this.#failures.get(address)
    const failures = known !== undefined && now - known.since < WINDOW_MS ? known : { since: now, count: 0 }
    failures.count += 1
    this.#failures.delete(address)
    this.#failures.set(address, failures)
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= MAX_ADDRESSES) break
      this.#failures.delete(oldest)
    }
    if (failures.count <= MAX_FAILURES) return
    throw new GatewayError('TOO_MANY_ATTEMPTS', {
      retryAfterSeconds: Math.ceil((failures.since + WINDOW_MS - now) / 1_000),
      remedy: 'Wait a minute, then try with a valid token',
    })
  }
}
