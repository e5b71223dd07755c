import { LONGEST_TEXT, type WordPiece } from '../wordpiece/word-piece.ts'
import { splitIdentifiers } from './identifiers.ts'

/** Where a text may be cut without a word being cut: after a mark that is a word of its own, or white space. */
const CUT_AFTER = new Set('.!?:;,\n\t ')
/** For other texts accents and invisible characters would have to be thought of. */
const PLAIN = /^[\t\n\r -~]*$/
/** Splitting identifiers makes texts longer, at most twice as long, and what is too long is cut. */
const LONGEST_CONTINUED = LONGEST_TEXT / 2

/**
 * The word pieces of texts, one after the other. Of a tool two texts are embedded, and the second begins with the first: a
 * text that goes on where the one before ended is read from there. Must not be used twice at once.
 */
export class TextPieces {
  readonly #pieces: WordPiece
  #text = ''
  #encoded: number[] = []

  constructor(pieces: WordPiece) {
    this.#pieces = pieces
  }

  /** Valid until the next text. */
  of(text: string): readonly number[] {
    const before = this.#text
    this.#text = text
    if (!goesOn(text, before)) {
      this.#encoded = this.#pieces.encode(splitIdentifiers(text))
      return this.#encoded
    }
    const rest = this.#pieces.encode(splitIdentifiers(text.slice(before.length)))
    for (let at = 0; at < rest.length; at++) this.#encoded.push(rest[at] as number)
    return this.#encoded
  }
}

function goesOn(text: string, before: string): boolean {
  const last = before.length - 1
  return (
    last >= 0 &&
    text.length <= LONGEST_CONTINUED &&
    CUT_AFTER.has(before.charAt(last)) &&
    text.startsWith(before) &&
    PLAIN.test(text)
  )
}
