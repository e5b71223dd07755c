const LINE_FEED = 0x0a
const MARK = 0x23
const FACTOR = 0x01000193

/** Two beginnings, so that the hashes of `##s` and `s` differ. */
const FIRST_SEED = 0x811c9dc5
const FOLLOWING_SEED = 0x3c6ef372

/**
 * Finds word pieces by their letters. It works on the units of the one text that has them all, because making a string
 * and a map entry of each of some 28,000 pieces would take longer than everything else that loading a table does.
 */
export class PieceIndex {
  /** UTF-16. */
  readonly #text: Uint16Array
  /** Where the letters of each piece begin and end, without the mark of those that continue a word. */
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  /** Open addressing; a slot holds the number of a piece plus 1. */
  readonly #slots: Int32Array
  /** By length: the hash of that many letters, while a word is looked up. */
  readonly #hashes: Int32Array
  #longest = 1

  /**
   * Takes the pieces separated by line feeds, and how many there are; those that continue a word begin with `##`. Of equal
   * ones the first counts.
   */
  constructor(text: Uint16Array, size: number) {
    this.#text = text
    this.#starts = new Int32Array(size)
    this.#ends = new Int32Array(size)
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * size)))
    this.#readPieces()
    this.#hashes = new Int32Array(this.#longest + 1)
  }

  /** The longest piece that stands in the text at `start` and ends by `end`; -1 when there is none. */
  longestAt(text: string, start: number, end: number, continues: boolean): number {
    const most = Math.min(end - start, this.#longest)
    const hashes = this.#hashes
    let hash = continues ? FOLLOWING_SEED : FIRST_SEED
    for (let length = 1; length <= most; length++) {
      hash = Math.imul(hash ^ text.charCodeAt(start + length - 1), FACTOR)
      hashes[length] = hash
    }
    for (let length = most; length > 0; length--) {
      const piece = this.#find(hashes[length] as number, text, start, length, continues)
      if (piece >= 0) return piece
    }
    return -1
  }

  /** How many letters a piece has. */
  lengthOf(piece: number): number {
    return (this.#ends[piece] as number) - (this.#starts[piece] as number)
  }

  /** One flat loop, because it runs once, and the engine makes only loops fast that it stays in. */
  #readPieces(): void {
    const text = this.#text
    let [piece, first] = [0, markEnd(text, 0)]
    let hash = first === 0 ? FIRST_SEED : FOLLOWING_SEED
    for (let at = first; at < text.length; at++) {
      const code = text[at] as number
      if (code !== LINE_FEED) {
        hash = Math.imul(hash ^ code, FACTOR)
        continue
      }
      this.#enter(piece++, first, at, hash)
      first = markEnd(text, at + 1)
      hash = first === at + 1 ? FIRST_SEED : FOLLOWING_SEED
      at = first - 1
    }
    this.#enter(piece, first, text.length, hash)
  }

  #enter(piece: number, first: number, end: number, hash: number): void {
    this.#starts[piece] = first
    this.#ends[piece] = end
    this.#longest = Math.max(this.#longest, end - first)
    const mask = this.#slots.length - 1
    let slot = slotOf(hash) & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = piece + 1
  }

  #find(hash: number, text: string, start: number, length: number, continues: boolean): number {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = slotOf(hash) & mask; ; slot = (slot + 1) & mask) {
      const piece = (slots[slot] as number) - 1
      if (piece < 0 || this.#spells(piece, text, start, length, continues)) return piece
    }
  }

  #spells(piece: number, text: string, start: number, length: number, continues: boolean): boolean {
    const first = this.#starts[piece] as number
    if ((this.#ends[piece] as number) - first !== length || this.#continues(first) !== continues) return false
    const letters = this.#text
    for (let at = 0; at < length; at++) {
      if (letters[first + at] !== text.charCodeAt(start + at)) return false
    }
    return true
  }

  /** Whether the letters that begin here have a mark before them. */
  #continues(first: number): boolean {
    return first > 0 && this.#text[first - 1] === MARK
  }
}

/** How many pieces there are. */
export function countPieces(text: Uint16Array): number {
  let lines = 1
  for (let at = text.indexOf(LINE_FEED); at >= 0; at = text.indexOf(LINE_FEED, at + 1)) lines++
  return lines
}

/** Where the letters of the piece at `start` begin: after the mark, if it has one and letters, too. */
function markEnd(text: Uint16Array, start: number): number {
  const isMarked = text[start] === MARK && text[start + 1] === MARK
  const hasLetters = start + 2 < text.length && text[start + 2] !== LINE_FEED
  return isMarked && hasLetters ? start + 2 : start
}

/** The lowest bits of such a hash depend on the lowest bits of the letters only; the higher ones help. */
function slotOf(hash: number): number {
  return hash ^ (hash >>> 15)
}
