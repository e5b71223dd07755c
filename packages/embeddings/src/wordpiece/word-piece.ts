import { PieceIndex } from './piece-index.ts'
import { splitWords } from './words.ts'

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
  readonly #index: PieceIndex

  /** Takes the pieces in order, separated by line feeds, as text or in UTF-16; those that continue a word begin with `##`. */
  constructor(vocabulary: string | Uint16Array) {
    this.#index = new PieceIndex(typeof vocabulary === 'string' ? unitsOf(vocabulary) : vocabulary)
  }

  /** How many pieces there are. */
  get size(): number {
    return this.#index.size
  }

  /** The pieces of the first {@link LONGEST_TEXT} units of the text, `UNKNOWN_PIECE` for a word that has none. */
  encode(text: string): number[] {
    const pieces: number[] = []
    for (const word of splitWords(text.length > LONGEST_TEXT ? text.slice(0, LONGEST_TEXT) : text)) {
      this.#cut(word, pieces)
    }
    return pieces
  }

  #cut(word: string, pieces: number[]): void {
    const before = pieces.length
    let at = isTooLong(word) ? -1 : 0
    while (at >= 0 && at < word.length) {
      const piece = this.#index.longestAt(word, at)
      pieces.push(piece)
      at = piece < 0 ? -1 : at + this.#index.lengthOf(piece)
    }
    if (at >= 0) return
    pieces.length = before
    pieces.push(UNKNOWN_PIECE)
  }
}

/** The text in UTF-16. */
export function unitsOf(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
}

/** Counts characters, not UTF-16 units, but only where the difference could matter. */
function isTooLong(word: string): boolean {
  return word.length > LONGEST_WORD && (word.length > 2 * LONGEST_WORD || [...word].length > LONGEST_WORD)
}
