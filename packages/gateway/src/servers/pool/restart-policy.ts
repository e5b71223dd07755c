/** Tunable figures of a restart policy; the defaults are for production. */
export interface RestartFigures {
  /** The first wait; it doubles with every failure. */
  readonly baseMs: number
  readonly maxMs: number
  /** So many failures in a row open the circuit. */
  readonly failuresToOpen: number
  /** Two starts on demand lie at least this far apart. */
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
 * When a server may be started again. A call after a crash restarts at once, unless the last start was just now;
 * restarts that nobody asked for wait longer every time; failures in a row open the circuit, and then everybody waits.
 */
export class RestartPolicy {
  readonly #now: () => number
  readonly #random: () => number
  readonly #figures: RestartFigures
  /** Starts that failed and lives that answered nothing, in a row. */
  #failures = 0
  #crashes: number[] = []
  #startedAt = Number.NEGATIVE_INFINITY
  #openUntil = Number.NEGATIVE_INFINITY

  constructor(now: () => number, random: () => number, figures: RestartFigures = DEFAULT_RESTART_FIGURES) {
    this.#now = now
    this.#random = random
    this.#figures = figures
  }

  /** Whether starts are refused for now. */
  get isOpen(): boolean {
    return this.#openUntil > this.#now()
  }

  /** When the circuit lets the next start through. */
  get openUntil(): number {
    return this.#openUntil
  }

  /** A start begins. */
  started(): void {
    this.#startedAt = this.#now()
  }

  /** A start failed, or a life ended before it answered anything. */
  failed(): void {
    this.#failures++
    const isOpening = this.#failures >= this.#figures.failuresToOpen
    if (isOpening) this.#openUntil = this.#now() + this.#backoff(this.#failures - 1)
  }

  /** A life that had been of use ended by itself. */
  crashed(): void {
    this.#failures = 0
    this.#crashes = [...this.#recent(), this.#now()]
  }

  /** Somebody decided: start over as if nothing had happened. */
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

  /** How long to wait before starting it without being asked. */
  waitUnasked(): number {
    const bad = this.#failures + this.#recent().length
    const wait = bad <= 1 && this.#failures === 0 ? 0 : this.#backoff(bad - 1)
    return Math.max(wait, this.#openUntil - this.#now(), this.waitOnDemand())
  }

  #recent(): number[] {
    const since = this.#now() - this.#figures.memoryMs
    return this.#crashes.filter((at) => at > since)
  }

  /** Half of it is fixed, half is chance, so that servers that fell together do not rise together. */
  #backoff(exponent: number): number {
    const full = Math.min(this.#figures.maxMs, this.#figures.baseMs * 2 ** exponent)
    return full / 2 + (full / 2) * this.#random()
  }
}
