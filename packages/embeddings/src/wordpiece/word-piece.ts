import { countPieces, PieceIndex } from './piece-index.ts'
import { forEachWord } from './words.ts'

/** In the place of a word that the vocabulary cannot spell. */
export const UNKNOWN_PIECE = -1

/** Longer words are unknown, as in the reference; it also bounds the work that a word can cause. */
const LONGEST_WORD = 100

/** How much of a text is read, in UTF-16 units: a model that averages words learns nothing from more. */
export const LONGEST_TEXT = 20_000

/**
 * Cuts texts into the pieces of a fixed vocabulary, as uncased BERT does: each word from the left, always the longest
 * piece that fits. A piece is named by its place in the vocabulary.
 */
export class WordPiece {
  /** How many pieces there are. */
  readonly size: number
  readonly #vocabulary: Uint16Array
  /** Made for the first text: it takes half as long as reading the table, and a loaded table may never be used. */
  #made: PieceIndex | undefined
  /** Of the current text. */
  #pieces: number[] = []

  /** Takes the pieces in order, separated by line feeds, as text or in UTF-16; those that continue a word begin with `##`. */
  constructor(vocabulary: string | Uint16Array) {
    this.#vocabulary = typeof vocabulary === 'string' ? unitsOf(vocabulary) : vocabulary
    this.size = countPieces(this.#vocabulary)
  }

  /** The pieces of the first {@link LONGEST_TEXT} units of the text, `UNKNOWN_PIECE` for a word that has none. */
  encode(text: string): number[] {
    this.#pieces = []
    forEachWord(text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text, this.#cut)
    return this.#pieces
  }

  /** One function for all texts, so that it is compiled soonest. */
  readonly #cut = (source: string, start: number, end: number): void => {
    this.#made ??= new PieceIndex(this.#vocabulary, this.size)
    cut(this.#made, source, start, end, this.#pieces)
  }
}

function cut(index: PieceIndex, source: string, start: number, end: number, pieces: number[]): void {
  const before = pieces.length
  let at = isTooLong(source, start, end) ? -1 : start
  while (at >= 0 && at < end) {
    const piece = index.longestAt(source, at, end, at > start)
    pieces.push(piece)
    at = piece < 0 ? -1 : at + index.lengthOf(piece)
  }
  if (at >= 0) return
  pieces.length = before
  pieces.push(UNKNOWN_PIECE)
}

/** The text in UTF-16. */
export function unitsOf(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
}

/** Counts characters, not UTF-16 units, but only where the difference could matter. */
function isTooLong(source: string, start: number, end: number): boolean {
  const length = end - start
  if (length <= LONGEST_WORD) return false
  return length > 2 * LONGEST_WORD || [...source.slice(start, end)].length > LONGEST_WORD
}
