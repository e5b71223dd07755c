/** A stream that can wait. */
interface Pausable {
  pause(): unknown
  resume(): unknown
}

/** The limit of each time window. */
export interface ThrottleLimits {
  readonly cost: number
  readonly windowMs: number
}

const MESSAGE_COST = 5 * 1024
/** Repeated changes of a list are one change. */
const CHANGE_COST = 256

/** The cost of a message that answers nothing, in bytes of output: some 1,000 a second are read. */
export function messageCost(method: unknown): number {
  return String(method).endsWith('/list_changed') ? CHANGE_COST : MESSAGE_COST
}

/** 5 MB of ordinary lines a second: far above any sensible log, far below what the gateway can read. */
const DEFAULT_LIMITS: ThrottleLimits = { cost: 256 * 1024, windowMs: 50 }

/**
 * Keeps one server with much output from occupying the gateway: a stream that exceeds the limit of a window is paused until
 * the window ends, so that the pipe fills and the server has to wait. Nothing is lost.
 */
export class OutputThrottle {
  readonly #stream: Pausable
  readonly #limits: ThrottleLimits
  #spent = 0
  #window: NodeJS.Timeout | undefined
  #isOpen = false

  constructor(stream: Pausable, limits: ThrottleLimits = DEFAULT_LIMITS) {
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

  /** Ends the throttling: the rest of the stream is read without pauses. */
  open(): void {
    this.#isOpen = true
    clearTimeout(this.#window)
    this.#stream.resume()
  }

  #nextWindow(): void {
    this.#window = undefined
    this.#spent = Math.max(0, this.#spent - this.#limits.cost)
    // A quiet stream has no window: an idle gateway has no timers.
    if (this.#spent > 0 && !this.spend(0)) return
    this.#stream.resume()
  }
}
