import type { RegexText } from './regex-text.ts'

/** A query made ready to be looked for in many texts. */
export interface TextMatcher {
  /** A quick look: `false` rules the tool out, `true` promises nothing. */
  mayMatch(text: RegexText): boolean
  test(text: string): boolean
  /** The leftmost match. */
  find(text: string): { readonly start: number; readonly end: number } | undefined
}
