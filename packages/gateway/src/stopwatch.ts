/** When something began, by the system's clock, and how long it has taken, whatever happens to that clock. */
export class Stopwatch {
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly #since = performance.now()

  constructor(now: () => number) {
    this.startedAt = now()
  }

  /** The time since, in milliseconds. */
  get ms(): number {
    return performance.now() - this.#since
  }
}
