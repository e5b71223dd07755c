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

const NOTIFICATION_COST = 5 * 1024
/** Repeated changes of a list are one change. */
const CHANGE_COST = 256
/** A request travels to a client, whose answer is an HTTP request of its own. */
const REQUEST_COST = 25 * 1024

/**
 * The cost of a message that answers nothing, in bytes of output: some 1,000 notifications or 200 requests a second are
 * read.
 */
export function messageCost(method: unknown): number {
  const name = String(method)
  if (name.endsWith('/list_changed')) return CHANGE_COST
  return name.startsWith('notifications/') ? NOTIFICATION_COST : REQUEST_COST
}

/**
 * 5 MB of ordinary lines a second: far above any sensible log, far below what the gateway can read. A short window, because
 * the limit of a window is read in one turn of the event loop.
 */
const DEFAULT_LIMITS: ThrottleLimits = { cost: 50 * 1024, windowMs: 10 }

/** Some twenty short messages. */
const PIECE = 4 * 1024
const NEWLINE = 0x0a
/**
 * Bytes that are read in one turn of the event loop; Node reads four times as many from a pipe at once. A call to another
 * server takes several turns, each of which waits for this.
 */
const TURN = 16 * 1024

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
   * a long one is read in several turns of the event loop, with other work in between.
   */
  static reading(stream: ByteStream, read: (piece: Buffer) => void): OutputThrottle {
    const throttle = new OutputThrottle(stream)
    stream.on('data', (chunk) => {
      const rest = throttle.#read(chunk, read)
      if (chunk.length - rest.length >= TURN) throttle.#yield()
      if (rest.length > 0) stream.unshift(rest)
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
    let left = this.#isOpen ? chunk.length : TURN
    while (rest.length > 0 && left > 0 && !this.#isPaused) {
      const lineEnd = rest.indexOf(NEWLINE, PIECE) + 1 || rest.length
      const end = Math.min(lineEnd, left)
      read(rest.subarray(0, end))
      rest = rest.subarray(end)
      left -= end
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
