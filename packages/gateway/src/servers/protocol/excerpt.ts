/** The bytes between two places of a text that comes in pieces, if they are few. Offsets count from the text's first byte. */
export class Excerpt {
  readonly #most: number
  #piece: Buffer = Buffer.alloc(0)
  #before = 0
  #from: number | undefined
  #kept: Buffer[] = []
  #length = 0

  constructor(mostBytes: number) {
    this.#most = mostBytes
  }

  /** A piece is about to be looked at. */
  enter(piece: Buffer): void {
    this.#piece = piece
  }

  /** It was looked at; the next one follows it. */
  leave(): void {
    const end = this.#before + this.#piece.length
    this.#keep(end)
    this.#before = end
  }

  begin(offset: number): void {
    this.#from = offset
    this.#kept = []
    this.#length = 0
  }

  /** @returns what lies between the two places; undefined where nothing was begun, and where it is too much */
  end(offset: number): string | undefined {
    if (this.#from === undefined) return undefined
    this.#keep(offset)
    this.#from = undefined
    return this.#length > this.#most ? undefined : Buffer.concat(this.#kept).toString('utf8')
  }

  #keep(until: number): void {
    if (this.#from === undefined) return
    const from = Math.max(this.#from, this.#before)
    this.#length += until - from
    // A copy: a slice would hold the whole piece.
    if (this.#length <= this.#most) {
      this.#kept.push(Buffer.from(this.#piece.subarray(from - this.#before, until - this.#before)))
    }
    this.#from = until
  }
}
