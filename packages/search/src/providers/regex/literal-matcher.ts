import type { RegexText } from './regex-text.ts'
import { foldForLiterals } from './required-literals.ts'
import type { TextMatcher } from './text-matcher.ts'

/** Looks for the query as typed, ignoring case. */
export class LiteralMatcher implements TextMatcher {
  readonly #literal: string

  constructor(query: string) {
    this.#literal = foldForLiterals(query)
  }

  mayMatch(text: RegexText): boolean {
    return text.everythingFolded.includes(this.#literal)
  }

  test(text: string): boolean {
    return foldForLiterals(text).includes(this.#literal)
  }

  find(text: string): { start: number; end: number } | undefined {
    const start = foldForLiterals(text).indexOf(this.#literal)
    return start === -1 ? undefined : { start, end: start + this.#literal.length }
  }
}
