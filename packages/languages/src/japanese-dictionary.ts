import type { Meaning } from '@tooldex/search'
import { foldWidth } from '@tooldex/search/text'
import { type LanguageTable, readEntries } from './language-data.ts'

const HAN = /^[\p{Script=Han}々]$/u
/** A verb in its dictionary form: inflection changes the last letter. */
const VERB = /^([\p{Script=Han}々]+)[るくすむぶつうぐぬ]$/u

/** An entry found in a text: how many characters it covers, and what it means. */
export interface Run {
  readonly length: number
  readonly meaning: Meaning
}

/** The words of Japanese, which has no spaces: always the longest that stands at a place. */
export class JapaneseDictionary {
  readonly #entries = new Map<string, Meaning>()
  #longest = 0

  constructor(table: LanguageTable) {
    const phrases = readEntries(table, foldWidth)
    for (const [phrase, meaning] of phrases) this.#enter(phrase, meaning)
    for (const [phrase, meaning] of phrases) {
      const stem = VERB.exec(phrase)?.[1]
      if (stem !== undefined && !this.#entries.has(stem)) this.#enter(stem, meaning)
    }
  }

  /** The longest entry that stands in the text at a place; the text as `foldWidth` folds it. */
  find(text: string, at: number): Run | undefined {
    for (let length = Math.min(this.#longest, text.length - at); length > 0; length--) {
      const meaning = this.#entries.get(text.slice(at, at + length))
      if (meaning !== undefined && !isPartOfWord(text, at, length)) return { length, meaning }
    }
    return undefined
  }

  #enter(phrase: string, meaning: Meaning): void {
    this.#entries.set(phrase, meaning)
    this.#longest = Math.max(this.#longest, phrase.length)
  }
}

/** One character among others of its kind is part of another word: 人 in 人口. */
function isPartOfWord(text: string, at: number, length: number): boolean {
  return length === 1 && HAN.test(text.charAt(at)) && (HAN.test(text.charAt(at - 1)) || HAN.test(text.charAt(at + 1)))
}
