import { foldWidth } from './normalise.ts'

// A word part: capitals before a capitalised word (HTTPServer → HTTP, Server), a word, capitals alone, or digits.
const PARTS = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+|\p{N}+/gu

/** The words inside an identifier, in their own case: `createPullRequest`, `create_pull-request` → three words. */
export function splitIdentifier(text: string): string[] {
  return foldWidth(text).match(PARTS) ?? []
}
