/** Takes a body as it comes. */
export interface BodyReader {
  data(piece: Buffer): void
  /** It is over; with an error where it broke off. */
  end(error?: Error): void
}

/**
 * The body of an answer. Pieces that come before somebody reads are kept; a reader that comes late gets them at once. A
 * reader does its work at once and bounds what it keeps, so nothing has to be held back on the wire.
 */
export class HttpBody {
  readonly #cancel: () => void
  #reader: BodyReader | undefined
  #kept: Buffer[] = []
  #isOver = false
  #error: Error | undefined

  /** @param cancel stops what is still to come */
  constructor(cancel: () => void) {
    this.#cancel = cancel
  }

  /** Hands a piece on. */
  push(piece: Buffer): void {
    if (this.#isOver) return
    if (this.#reader === undefined) this.#kept.push(piece)
    else this.#reader.data(piece)
  }

  /** No more will come. */
  finish(error?: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#reader?.end(error)
  }

  /** Gives the body to its only reader. */
  read(reader: BodyReader): void {
    const kept = this.#kept
    this.#kept = []
    this.#reader = reader
    for (const piece of kept) reader.data(piece)
    if (this.#isOver) reader.end(this.#error)
  }

  /** All of it, for its only reader, where it is there already and in one piece. */
  takeWhole(): Buffer | undefined {
    const [only] = this.#kept
    if (!this.#isOver || this.#error !== undefined || this.#kept.length !== 1) return undefined
    this.#kept = []
    return only
  }

  /** Nobody wants the rest: the reader hears no more. */
  cancel(): void {
    this.#reader = undefined
    this.#kept = []
    if (this.#isOver) return
    this.#isOver = true
    this.#cancel()
  }
}
