/** When a breaker opens, and for how long. */
export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number
  /** How long nobody gets through after that. */
  readonly openMs: number
  readonly now: () => number
}

/** Counts failures in a row; open, it keeps searches from waiting for what will not come. */
export class Breaker {
  readonly #options: BreakerOptions
  #failures = 0
  #openedAt = 0
  #reason = ''

  constructor(options: BreakerOptions) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#failures >= this.#options.failures
  }

  /** Whether it is open and has been for long enough that one may try. */
  get isDue(): boolean {
    return this.isOpen && this.#options.now() - this.#openedAt >= this.#options.openMs
  }

  /** Of the last failure. */
  get reason(): string {
    return this.#reason
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(reason: string): void {
    this.#reason = reason
    this.#failures += 1
    if (this.isOpen) this.#openedAt = this.#options.now()
  }

  /** Lets searches through once more, but the next failure opens it again. */
  letTry(): void {
    this.#failures = Math.min(this.#failures, this.#options.failures - 1)
  }
}
