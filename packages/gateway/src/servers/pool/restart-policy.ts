/** Tunable figures of a restart policy; the defaults are for production. */
export interface RestartFigures {
  /** The first wait; it doubles with every failure. */
  readonly baseMs: number
  readonly maxMs: number
  /** The number of consecutive failures that open the circuit. */
  readonly failuresToOpen: number
  /** The shortest time between two starts on demand. */
  readonly minIntervalMs: number
  /** A crash longer ago than this is forgotten. */
  readonly memoryMs: number
}

export const DEFAULT_RESTART_FIGURES: RestartFigures = {
  baseMs: 500,
  maxMs: 60_000,
  failuresToOpen: 5,
  minIntervalMs: 250,
  memoryMs: 60_000,
}

/**
 * Decides when a server may be started again. A call after a crash restarts it at once, unless the last start was just
 * now; automatic restarts wait longer every time; consecutive failures open the circuit, and then all starts wait.
 */
export class RestartPolicy {
  readonly #now: () => number
  readonly #random: () => number
  readonly #figures: RestartFigures
  /** Consecutive starts that failed or ended without an answer. */
  #failures = 0
  #crashes: number[] = []
  #startedAt = Number.NEGATIVE_INFINITY
  #openUntil = Number.NEGATIVE_INFINITY

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number, random: () => number, figures: RestartFigures = DEFAULT_RESTART_FIGURES) {
    this.#now = now
    this.#random = random
    this.#figures = figures
  }

  /** Whether starts are refused for now. */
  get isOpen(): boolean {
    return this.#openUntil > this.#now()
  }

  /** How long until the circuit allows the next start, in milliseconds. */
  get openMs(): number {
    return Math.max(0, this.#openUntil - this.#now())
  }

  /** A start begins. */
  started(): void {
    this.#startedAt = this.#now()
  }

  /** A start failed, or the server ended before it answered a request. */
  failed(): void {
    this.#failures++
    const isOpening = this.#failures >= this.#figures.failuresToOpen
    if (isOpening) this.#openUntil = this.#now() + this.#backoff(this.#failures - 1)
  }

  /** A server that had answered requests ended by itself. */
  crashed(): void {
    this.#failures = 0
    this.#crashes = [...this.#recent(), this.#now()]
  }

  /** An operator started the server: forget all failures. */
  forgive(): void {
    this.#failures = 0
    this.#openUntil = Number.NEGATIVE_INFINITY
    this.#crashes = []
    this.#startedAt = Number.NEGATIVE_INFINITY
  }

  /** How long a caller has to wait before it may start the server. */
  waitOnDemand(): number {
    return Math.max(0, this.#startedAt + this.#figures.minIntervalMs - this.#now())
  }

  /** How long to wait before an automatic start. */
  waitUnasked(): number {
    const bad = this.#failures + this.#recent().length
    const wait = bad <= 1 && this.#failures === 0 ? 0 : this.#backoff(bad - 1)
    return Math.max(wait, this.#openUntil - this.#now(), this.waitOnDemand())
  }

  #recent(): number[] {
    const since = this.#now() - this.#figures.memoryMs
    return this.#crashes.filter((at) => at > since)
  }

  /** Half of it is random, so that servers that failed together do not restart together. */
  #backoff(exponent: number): number {
    const full = Math.min(this.#figures.maxMs, this.#figures.baseMs * 2 ** exponent)
    return full / 2 + (full / 2) * this.#random()
  }
}
