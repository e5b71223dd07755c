import { LONGEST_TEXT, type WordPiece } from '../wordpiece/word-piece.ts'

/** A text may be cut after these without cutting a word: white space, and marks that are words of their own. */
const CUT_AFTER = new Set('.!?:;,\n\t ')
/** Other texts may have accents and invisible characters, which affect the pieces around them. */
const PLAIN = /^[\t\n\r -~]*$/
/** Splitting identifiers at most doubles the length of a text, and texts that are too long are cut. */
const LONGEST_CONTINUED = LONGEST_TEXT / 2

/**
 * The word pieces of texts. For each tool two texts are embedded, and the second begins with the first: a text that
 * continues the previous one is read from there. Must not be used concurrently.
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
    if (!continues(text, before)) {
      this.#encoded = this.#pieces.encode(splitIdentifiers(text))
      return this.#encoded
    }
    const rest = this.#pieces.encode(splitIdentifiers(text.slice(before.length)))
    for (let at = 0; at < rest.length; at++) this.#encoded.push(rest[at] as number)
    return this.#encoded
  }
}

function continues(text: string, before: string): boolean {
  const last = before.length - 1
  return (
    last >= 0 &&
    text.length <= LONGEST_CONTINUED &&
    CUT_AFTER.has(before.charAt(last)) &&
    text.startsWith(before) &&
    PLAIN.test(text)
  )
}

/**
 * Writes `listPullRequests` as `list Pull Requests`, because the vocabulary has the parts and not the whole. Names that
 * begin with a capital (`GitHub`, `YouTube`) stay as they are unless they have three parts (`CreatePullRequest`).
 */
export function splitIdentifiers(text: string): string {
  return HUMP.test(text)
    ? text.replace(/[A-Za-z0-9]+/g, (word) => (isIdentifier(word) ? splitHumps(word) : word))
    : text
}

const HUMP = /[a-z0-9][A-Z]/

function isIdentifier(word: string): boolean {
  return HUMP.test(word) && (!/^[A-Z]/.test(word) || word.split(/(?<=[a-z0-9])(?=[A-Z])/).length > 2)
}

/** Before each capital that follows a small letter, and before the last capital of several: `parseHTTPServer`. */
function splitHumps(identifier: string): string {
  return identifier.replace(/[a-z0-9](?=[A-Z])|[A-Z](?=[A-Z][a-z]{2})/g, '$& ')
}
