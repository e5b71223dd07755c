import type { Readable } from 'node:stream'

/** What may pass in each window. */
export interface ThrottleLimits {
  readonly cost: number
  readonly windowMs: number
}

/** 5 MB of ordinary lines a second; far above any sensible log, far below what would keep the gateway busy. */
const DEFAULT_LIMITS: ThrottleLimits = { cost: 256 * 1024, windowMs: 50 }

/**
 * Keeps one talkative server from using up the gateway: when a stream has cost more than a window allows, it is not read
 * until the window is over, so that the pipe fills and the server has to wait. Nothing is lost.
 */
export class OutputThrottle {
  readonly #stream: Readable
  readonly #limits: ThrottleLimits
  #spent = 0
  #window: NodeJS.Timeout | undefined
  #isOpen = false

  constructor(stream: Readable, limits: ThrottleLimits = DEFAULT_LIMITS) {
    this.#stream = stream
    this.#limits = limits
  }

  /** @returns whether this was within the window's limit */
  spend(cost: number): boolean {
    this.#spent += cost
    const isWithin = this.#spent <= this.#limits.cost
    if (this.#isOpen) return isWithin
    this.#window ??= setTimeout(() => this.#nextWindow(), this.#limits.windowMs).unref()
    if (!isWithin) this.#stream.pause()
    return isWithin
  }

  /** Holds nothing back any more: what is left is to be read to its end. */
  open(): void {
    this.#isOpen = true
    clearTimeout(this.#window)
    this.#stream.resume()
  }

  #nextWindow(): void {
    this.#window = undefined
    this.#spent = Math.max(0, this.#spent - this.#limits.cost)
    if (this.spend(0)) this.#stream.resume()
  }
}
