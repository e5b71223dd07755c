import { LargeReply } from '../protocol/large-reply.ts'
import { type Envelope, EnvelopeScanner } from '../protocol/envelope-scanner.ts'

/** Of noise no more than this is handed on; who shows it cuts it anyway. */
export const MOST_NOISE = 4_096
/** A line that is no JSON by then is looked at again for the JSON in it; later, that would keep everybody waiting. */
const BEGINNING = 1_000_000

/** Makes out of a long line what can be made out while it comes, for it may get too long to keep. */
export class LongLineReader {
  readonly #reply = new LargeReply()
  #scanner: EnvelopeScanner | undefined
  #isScanned = false
  #beginning: Buffer[] = []
  #bytes = 0
  /** How it begins. */
  head: Buffer = Buffer.alloc(0)

  get envelope(): Envelope {
    return this.#scanner?.envelope() ?? this.#reply.envelope
  }

  /** Nothing that comes can change what is known of it. */
  get isOver(): boolean {
    return this.#scanner === undefined ? this.#reply.isOver : this.#isScanned
  }

  add(piece: Buffer): void {
    // The bytes of a chunk are lent; a slice of it would hold all of it.
    if (this.#bytes === 0) this.head = Buffer.from(piece.subarray(0, MOST_NOISE))
    this.#bytes += piece.length
    if (this.#scanner !== undefined) return this.#scan(piece)
    this.#reply.add(piece)
    if (this.#bytes > BEGINNING) this.#beginning = []
    else this.#lookAgain(piece)
  }

  /** The whole line as a message, where it is a large reply. */
  message(pieces: readonly Buffer[]): unknown {
    return this.#scanner === undefined ? this.#reply.message(pieces) : undefined
  }

  /** What is no JSON may have some in it, such as behind a prompt. */
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
