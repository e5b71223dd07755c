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
  readonly size: number
  /** UTF-16. */
  readonly #text: Uint16Array
  /** Where the letters of each piece begin and end, without the mark of those that continue a word. */
  readonly #starts: Int32Array
  readonly #ends: Int32Array
  /** Open addressing; a slot holds the number of a piece plus 1. */
  readonly #slots: Int32Array
  /** By length: the hash of that many letters, while a word is looked up. */
  readonly #hashes: Int32Array
  readonly #longest: number

  /** Takes the pieces separated by line feeds; those that continue a word begin with `##`. Of equal ones the first counts. */
  constructor(text: Uint16Array) {
    const { starts, ends, hashes, longest } = readPieces(text)
    this.#text = text
    this.size = starts.length
    this.#starts = starts
    this.#ends = ends
    this.#slots = slotsOf(hashes)
    this.#longest = longest
    this.#hashes = new Int32Array(longest + 1)
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

interface Pieces {
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly hashes: Int32Array
  readonly longest: number
}

/** One flat loop, because it runs once, and the engine makes only loops fast that it stays in. */
function readPieces(text: Uint16Array): Pieces {
  // Room for as many pieces as there could be; memory that is not written to is not taken.
  const starts = new Int32Array(text.length + 1)
  const ends = new Int32Array(text.length + 1)
  const hashes = new Int32Array(text.length + 1)
  let size = 0
  let longest = 1
  let first = markEnd(text, 0)
  let hash = first === 0 ? FIRST_SEED : FOLLOWING_SEED
  for (let at = first; at <= text.length; at++) {
    const code = at < text.length ? (text[at] as number) : LINE_FEED
    if (code !== LINE_FEED) {
      hash = Math.imul(hash ^ code, FACTOR)
      continue
    }
    starts[size] = first
    ends[size] = at
    hashes[size++] = hash
    if (at - first > longest) longest = at - first
    first = markEnd(text, at + 1)
    hash = first === at + 1 ? FIRST_SEED : FOLLOWING_SEED
    at = first - 1
  }
  return { starts: starts.slice(0, size), ends: ends.slice(0, size), hashes: hashes.subarray(0, size), longest }
}

function slotsOf(hashes: Int32Array): Int32Array {
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * hashes.length)))
  const mask = slots.length - 1
  for (let piece = 0; piece < hashes.length; piece++) {
    let slot = slotOf(hashes[piece] as number) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = piece + 1
  }
  return slots
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
