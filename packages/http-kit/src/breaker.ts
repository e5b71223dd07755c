/** When a circuit breaker opens, and for how long. */
export interface CircuitBreakerOptions {
  /** Consecutive failures that open it. */
  readonly failures: number
  /** How long it fails fast before it lets a trial through. */
  readonly openMs: number
  /** Milliseconds from any fixed point. */
  readonly now: () => number
}

/** Circuit breaker: fails fast after N consecutive failures, then lets one trial through at a time. */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions
  #failures = 0
  #openUntil = Number.NEGATIVE_INFINITY
  #reason = ''

  constructor(options: CircuitBreakerOptions) {
    this.#options = options
  }

  get isOpen(): boolean {
    return this.#failures >= this.#options.failures
  }

  /** The reason of the last failure. */
  get reason(): string {
    return this.#reason
  }

  /** Milliseconds until a request may be made; 0 = now. The first request after the pause is a trial: others wait for its outcome. */
  enter(): number {
    if (!this.isOpen) return 0
    const now = this.#options.now()
    if (now < this.#openUntil) return this.#openUntil - now
    this.#openUntil = now + this.#options.openMs
    return 0
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(reason = ''): void {
    this.#reason = reason
    this.#failures += 1
    if (this.isOpen) this.#openUntil = this.#options.now() + this.#options.openMs
  }

  /** A trial ended without an outcome: the next request may be one. */
  abandoned(): void {
    this.#openUntil = Number.NEGATIVE_INFINITY
  }

  /** Closes it on probation: the next failure opens it again. */
  halfOpen(): void {
    this.#failures = Math.min(this.#failures, this.#options.failures - 1)
  }
}
