import { RE2JS } from 're2js'
import type { RegexText } from './regex-text.ts'
import { requiredLiterals } from './required-literals.ts'
import type { TextMatcher } from './text-matcher.ts'

/** Longer patterns are not compiled (M9). */
const LONGEST_PATTERN = 200
/**
 * The engine is linear in the text, but its factor grows with the program, and `\w{900}\w{900}` makes a large one of a
 * short pattern. A pattern of 200 characters without counted repetition stays below this.
 */
const LARGEST_PROGRAM = 300
/** Anchors to the whole text, and flags switched off: with these a look at all fields at once could miss a match. */
const BOUND_TO_ONE_TEXT = /\\[Az]|\(\?[a-zA-Z]*-/

/** Looks for a regular expression, ignoring case, in time linear in the text. */
export class PatternMatcher implements TextMatcher {
  readonly #engine: RE2JS
  /** Matches in the fields, taken as lines of one text, wherever the engine matches in one of them. */
  readonly #sieve: RE2JS | undefined
  readonly #literals: readonly string[] | undefined

  private constructor(pattern: string, engine: RE2JS) {
    this.#engine = engine
    this.#literals = requiredLiterals(pattern)
    if (BOUND_TO_ONE_TEXT.test(pattern)) this.#sieve = undefined
    else if (/[$^]/.test(pattern)) this.#sieve = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE | RE2JS.MULTILINE)
    else this.#sieve = engine
  }

  /** `undefined` for what is no regular expression, or too large a one: then it is a text to look for. */
  static compile(pattern: string): PatternMatcher | undefined {
    if (pattern.length > LONGEST_PATTERN) return undefined
    try {
      const engine = RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)
      return engine.programSize() > LARGEST_PROGRAM ? undefined : new PatternMatcher(pattern, engine)
    } catch {
      return undefined
    }
  }

  mayMatch(text: RegexText): boolean {
    if (this.#literals?.every((literal) => !text.everythingFolded.includes(literal))) return false
    return this.#sieve?.test(text.everything) ?? true
  }

  test(text: string): boolean {
    return this.#engine.test(text)
  }

  find(text: string): { start: number; end: number } | undefined {
    // Telling whether is far cheaper for the engine than telling where.
    if (!this.#engine.test(text)) return undefined
    const matcher = this.#engine.matcher(text)
    return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined
  }
}
