/** Keeps away from an endpoint that failed several times in a row, so that nobody waits for what will not come. */
export class Pause {
  readonly #now: () => number
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  constructor(now: () => number) {
    this.#now = now
  }

  /** Whether to ask now. Who asks after a pause keeps the others away until it is known how that went. */
  mayAsk(): boolean {
    if (this.#failures < FAILURES) return true
    if (this.#now() < this.#until) return false
    this.#until = this.#now() + PAUSE_MS
    return true
  }

  succeeded(): void {
    this.#failures = 0
  }

  failed(): void {
    this.#failures += 1
    if (this.#failures >= FAILURES) this.#until = this.#now() + PAUSE_MS
  }
}

const FAILURES = 3
const PAUSE_MS = 10_000
