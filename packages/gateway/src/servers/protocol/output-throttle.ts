/** A stream that can wait. */
interface Pausable {
  pause(): unknown
  resume(): unknown
}

/** A stream of bytes that takes an unread rest back. */
interface ByteStream extends Pausable {
  on(event: 'data', listener: (chunk: Buffer) => void): unknown
  unshift(rest: Buffer): unknown
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

/**
 * 5 MB of ordinary lines a second: far above any sensible log, far below what the gateway can read. A short window, because
 * the limit of a window is read in one turn of the event loop.
 */
const DEFAULT_LIMITS: ThrottleLimits = { cost: 50 * 1024, windowMs: 10 }

/** Some twenty short messages. */
const PIECE = 4 * 1024
const NEWLINE = 0x0a
/** Node reads this much of a pipe at once, and goes on reading in the same turn while there is more. */
const FULL_READ = 64 * 1024

/**
 * Keeps one server with much output from occupying the gateway: a stream that exceeds the limit of a window is paused until
 * the window ends, so that the pipe fills and the server has to wait. Nothing is lost.
 */
export class OutputThrottle {
  readonly #stream: Pausable
  readonly #limits: ThrottleLimits
  #spent = 0
  #window: NodeJS.Timeout | undefined
  #isPaused = false
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
    if (!isWithin) this.#pause()
    return isWithin
  }

  /**
   * Hands the stream to its reader in pieces of some lines. A chunk in which the limit is exceeded is read to that point;
   * other work runs between two full chunks.
   */
  static reading(stream: ByteStream, read: (piece: Buffer) => void): OutputThrottle {
    const throttle = new OutputThrottle(stream)
    stream.on('data', (chunk) => {
      const rest = throttle.#read(chunk, read)
      if (rest.length > 0) stream.unshift(rest)
      else if (chunk.length >= FULL_READ) throttle.#yield()
    })
    return throttle
  }

  /** Ends the throttling: the rest of the stream is read without pauses. */
  open(): void {
    this.#isOpen = true
    clearTimeout(this.#window)
    this.#resume()
  }

  /** @returns the unread rest */
  #read(chunk: Buffer, read: (piece: Buffer) => void): Buffer {
    let rest = chunk
    while (rest.length > 0 && !this.#isPaused) {
      // A long line stays in one piece: it is one message.
      const end = rest.indexOf(NEWLINE, PIECE) + 1 || rest.length
      read(rest.subarray(0, end))
      rest = rest.subarray(end)
    }
    return rest
  }

  /** Pauses for one turn of the event loop. */
  #yield(): void {
    if (this.#isOpen || this.#isPaused) return
    this.#stream.pause()
    setImmediate(() => {
      if (!this.#isPaused) this.#stream.resume()
    })
  }

  #pause(): void {
    this.#isPaused = true
    this.#stream.pause()
  }

  #resume(): void {
    this.#isPaused = false
    this.#stream.resume()
  }

  #nextWindow(): void {
    this.#window = undefined
    this.#spent = Math.max(0, this.#spent - this.#limits.cost)
    // A quiet stream has no window: an idle gateway has no timers.
    if (this.#spent > 0 && !this.spend(0)) return
    this.#resume()
  }
}
