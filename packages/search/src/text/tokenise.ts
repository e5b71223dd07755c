import { tokeniseCjk, containsCjk } from './cjk.ts'
import { foldCase, foldWidth, isAscii } from './normalise.ts'
import { splitIdentifier } from './split-identifier.ts'
import { LONGEST_CODE, LONGEST_WHOLE, tokeniseAscii } from './tokenise-ascii.ts'

export { LONGEST_WHOLE }

/**
 * Receives tokens in reading order, normalised but not stemmed. `advances` is false for a second reading of what was
 * just given (the whole identifier after its parts), which takes no position of its own.
 */
export type TokenSink = (token: string, advances: boolean) => void

/**
 * Like `TokenSink`, but with the position of the token in a text, for callers that can do without a string of it.
 * Unlike there, ASCII capitals are still capitals.
 */
export type RangeSink = (source: string, start: number, end: number, advances: boolean) => void

// Letters and digits, joined by what joins identifiers and contractions.
const CHUNK = /[\p{L}\p{N}\p{M}]+(?:[_.'’-][\p{L}\p{N}\p{M}]+)*/gu
const CONNECTOR = /[_.-]/
const APOSTROPHE = /['’]/
const POSSESSIVE = /['’][sS]$/
const HAS_DIGIT = /\p{N}/u

/**
 * Splits text into searchable tokens: identifiers into their words and again as a whole, contractions joined,
 * CJK runs into overlapping pairs of characters.
 */
export function tokenise(text: string, sink: TokenSink): void {
  tokeniseRanges(text, (source, start, end, advances) => sink(source.slice(start, end).toLowerCase(), advances))
}

/** `tokenise` for indexing: nearly all words of a catalog were seen before, and need not become strings again. */
export function tokeniseRanges(text: string, sink: RangeSink): void {
  if (isAscii(text)) return tokeniseAscii(text, sink, tokeniseIdentifier)
  const folded = foldWidth(text)
  CHUNK.lastIndex = 0
  for (let match = CHUNK.exec(folded); match !== null; match = CHUNK.exec(folded)) {
    const chunk = match[0]
    if (isPlainWord(chunk)) sink(chunk, 0, chunk.length, true)
    else if (containsCjk(chunk)) tokeniseMixed(chunk, wholeOf(sink))
    else tokeniseIdentifier(chunk, sink)
  }
}

function wholeOf(sink: RangeSink): TokenSink {
  return (token, advances) => sink(token, 0, token.length, advances)
}

/** The tokens of a text as a list, whole identifiers included. */
export function tokensOf(text: string): string[] {
  const tokens: string[] = []
  tokenise(text, (token) => tokens.push(token))
  return tokens
}

function isPlainWord(chunk: string): boolean {
  for (let i = 0; i < chunk.length; i++) {
    const code = chunk.charCodeAt(i)
    if (code < 97 || code > 122) return false
  }
  return true
}

function tokeniseIdentifier(chunk: string, sink: RangeSink): void {
  const give = wholeOf(sink)
  const bare = chunk.replace(POSSESSIVE, '')
  const joined = APOSTROPHE.test(bare) ? bare.replace(/['’]/g, '') : bare
  const pieces = CONNECTOR.test(joined) ? joined.split(/[_.-]/) : [joined]
  let parts = 0
  for (const piece of pieces) {
    for (const part of partsOf(piece)) {
      const token = foldCase(part)
      // Nothing is left of a mark without a letter.
      if (token === '') continue
      give(token, true)
      parts++
    }
  }
  if (parts > 1 && joined.length <= LONGEST_WHOLE) give(foldCase(joined.replace(/[_.-]/g, '')), false)
}

function partsOf(piece: string): readonly string[] {
  if (piece.length <= LONGEST_CODE && HAS_DIGIT.test(piece)) return [piece]
  const parts = splitIdentifier(piece)
  return parts.length === 0 ? [piece] : parts
}

const CJK_OR_REST =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]+|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]+/gu

function tokeniseMixed(chunk: string, sink: TokenSink): void {
  for (const run of chunk.match(CJK_OR_REST) ?? []) {
    if (containsCjk(run)) tokeniseCjk(run, sink)
    else if (/[\p{L}\p{N}]/u.test(run)) {
      const identifier = run.replace(/^[_.'’-]+|[_.'’-]+$/g, '')
      tokeniseIdentifier(identifier, (source, start, end, advances) => sink(source.slice(start, end), advances))
    }
  }
}
