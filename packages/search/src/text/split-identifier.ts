import { foldWidth, isAscii } from './normalise.ts'

// A word part: capitals before a capitalised word (HTTPServer → HTTP, Server), a word, capitals alone, or digits.
const PARTS = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+|\p{N}+/gu

// The same for ASCII, which the engine reads several times faster.
const ASCII_PARTS = /[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+/g

/** The words inside an identifier, in their own case: `createPullRequest`, `create_pull-request` → three words. */
export function splitIdentifier(text: string): string[] {
  return (isAscii(text) ? text.match(ASCII_PARTS) : foldWidth(text).match(PARTS)) ?? []
}
