import { LargeReply } from '../protocol/large-reply.ts'
import { type Envelope, EnvelopeScanner } from '../protocol/envelope-scanner.ts'

/** The longest part of a line of noise that is passed on. */
export const MOST_NOISE = 4_096
/** A line that is not JSON is searched for JSON up to this length; a longer search would stall other calls. */
const BEGINNING = 1_000_000

/** Reads the envelope of a long line as it arrives, because the line may become too long to keep. */
export class LongLineReader {
  readonly #reply = new LargeReply()
  #scanner: EnvelopeScanner | undefined
  #isScanned = false
  #beginning: Buffer[] = []
  #bytes = 0
  /** The beginning of the line. */
  head: Buffer = Buffer.alloc(0)

  get envelope(): Envelope {
    return this.#scanner?.envelope() ?? this.#reply.envelope
  }

  /** More bytes cannot change the envelope. */
  get isOver(): boolean {
    return this.#scanner === undefined ? this.#reply.isOver : this.#isScanned
  }

  add(piece: Buffer): void {
    // A copy: a slice would keep the whole chunk in memory, and its bytes are reused.
    if (this.#bytes === 0) this.head = Buffer.from(piece.subarray(0, MOST_NOISE))
    this.#bytes += piece.length
    if (this.#scanner !== undefined) return this.#scan(piece)
    this.#reply.add(piece)
    if (this.#bytes > BEGINNING) this.#beginning = []
    else this.#lookAgain(piece)
  }

  /** The whole line as a message, if it is a large reply. */
  message(pieces: readonly Buffer[]): unknown {
    return this.#scanner === undefined ? this.#reply.message(pieces) : undefined
  }

  /** A line that is not JSON may contain some, for example after a prompt. */
  #lookAgain(piece: Buffer): void {
    this.#beginning.push(piece)
    if (!this.#reply.isWrong) return
    this.#scanner = new EnvelopeScanner()
    for (const each of this.#beginning) this.#scan(each)
    this.#beginning = []
  }

  #scan(piece: Buffer): void {
    if (!this.#isScanned) this.#isScanned = this.#scanner?.add(piece) !== -1
  }
}
