/** When a breaker opens, and for how long. */
export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number
  /** How long it stays open; after that one request may try. */
  readonly openMs: number
  readonly now: () => number
}

/** Keeps away from a service that failed several times in a row, so that nobody waits for what will not come. */
export class Breaker {
  readonly #options: BreakerOptions
  #failures = 0
  #openUntil = 0

  constructor(options: BreakerOptions) {
    this.#options = options
  }

  /** Milliseconds until the next try; 0 when one may be made now. Who tries while it was open keeps the others away. */
  enter(): number {
    const { failures, now, openMs } = this.#options
    if (this.#failures < failures) return 0
    const at = now()
    if (at < this.#openUntil) return this.#openUntil - at
    this.#openUntil = at + openMs
    return 0
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(): void {
    this.#failures += 1
    if (this.#failures >= this.#options.failures) this.#openUntil = this.#options.now() + this.#options.openMs
  }

  /** The trial did not come to an end: somebody else may try. */
  abandoned(): void {
    if (this.#failures >= this.#options.failures) this.#openUntil = 0
  }
}
