const NEWLINE = 0x0a
/** Smaller pieces are copied together, so that a line that arrives byte by byte does not become thousands of objects. */
const SMALL_PIECE = 4_096
const BLOCK = 16_384

/** Receives a line over the limit piece by piece, so that it never has to be kept whole. */
export interface OverlongLine {
  add(piece: Buffer): void
  /** The line is complete, or the stream ended. */
  end(): void
}

/** Receives a long line as it arrives, and the whole line at its end. */
export interface LongLine {
  add(piece: Buffer): void
  /** The line is complete. */
  end(pieces: readonly Buffer[]): void
  /** The line exceeds the limit: the rest goes to the returned object. */
  overlong(): OverlongLine
}

/** Receives the lines. */
export interface LineHandlers {
  /** A line without its newline; its bytes are valid only during the call. */
  readonly line: (bytes: Buffer) => void
  /** A line is longer than `longBytes`; it goes to the returned object instead. */
  readonly long?: () => LongLine
  /** A line exceeds the limit; all of it goes to the returned object. */
  readonly overlong: () => OverlongLine
}

/** Splits a stream of bytes into lines, keeping at most one line of at most `maxBytes`. Each byte is read and copied once. */
export class LineSplitter {
  readonly #maxBytes: number
  readonly #handlers: LineHandlers
  readonly #longBytes: number
  #long: LongLine | undefined
  #held = new ByteList()
  #overlong: OverlongLine | undefined

  constructor(maxBytes: number, handlers: LineHandlers, longBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes
    this.#longBytes = longBytes
    this.#handlers = handlers
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#take(chunk.subarray(start, end))
      this.#endLine()
      start = end + 1
    }
    if (start < chunk.length) this.#take(chunk.subarray(start), true)
  }

  /** The stream ended; the kept bytes count as a line. */
  end(): void {
    this.#endLine()
  }

  #take(piece: Buffer, isOpen = false): void {
    if (this.#overlong !== undefined) return this.#overlong.add(piece)
    if (this.#held.length + piece.length > this.#maxBytes) {
      const held = this.#held.takePieces()
      this.#overlong = this.#long?.overlong() ?? this.#handlers.overlong()
      // A long line was reported as it arrived.
      for (const each of this.#long === undefined ? held : []) this.#overlong.add(each)
      this.#long = undefined
      return this.#overlong.add(piece)
    }
    // A line within one chunk, which is nearly every line, is not copied.
    if (isOpen || this.#held.length > 0) return this.#hold(piece)
    if (piece.length > 0) this.#handlers.line(piece)
  }

  #endLine(): void {
    if (this.#overlong !== undefined) {
      const overlong = this.#overlong
      this.#overlong = undefined
      return overlong.end()
    }
    if (this.#held.length === 0) return
    const [long, pieces] = [this.#long, this.#held.takePieces()]
    this.#long = undefined
    if (long === undefined) this.#handlers.line(Buffer.concat(pieces))
    else long.end(pieces)
  }

  #hold(piece: Buffer): void {
    this.#held.add(piece)
    if (this.#long !== undefined) return this.#long.add(piece)
    if (this.#held.length <= this.#longBytes) return
    this.#long = this.#handlers.long?.()
    for (const held of this.#held.pieces()) this.#long?.add(held)
  }
}

/** Bytes in order, joined once at the end. */
class ByteList {
  #pieces: Buffer[] = []
  #block: Buffer | undefined
  #used = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  add(piece: Buffer): void {
    this.#length += piece.length
    if (piece.length >= SMALL_PIECE) {
      this.#closeBlock()
      this.#pieces.push(piece)
      return
    }
    if (this.#block === undefined || this.#used + piece.length > BLOCK) {
      this.#closeBlock()
      this.#block = Buffer.allocUnsafe(BLOCK)
    }
    this.#used += piece.copy(this.#block, this.#used)
  }

  /** All pieces so far. */
  pieces(): readonly Buffer[] {
    this.#closeBlock()
    return this.#pieces
  }

  /** All pieces; the list is empty afterwards. */
  takePieces(): Buffer[] {
    this.#closeBlock()
    const pieces = this.#pieces
    this.#pieces = []
    this.#length = 0
    return pieces
  }

  #closeBlock(): void {
    if (this.#block !== undefined) this.#pieces.push(this.#block.subarray(0, this.#used))
    this.#block = undefined
    this.#used = 0
  }
}
