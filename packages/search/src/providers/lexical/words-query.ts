import { foldWidth, normaliseText } from '../../text/normalise.ts'
import { isStopWord } from '../../text/stop-words.ts'
import type { WordMatch } from '../explain.ts'
import { MOST_FIELD_CHARACTERS, type ScanQuery } from '../scan-provider.ts'
import { type LexicalField, type LexicalText, spoken } from './lexical-text.ts'

/** Each word costs a look at every tool; the words past this add little to what is meant. */
const MOST_WORDS = 24
/** Inside another word (`art` in `start`) a word counts less. */
const INSIDE_A_WORD = 0.5
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

const WORDS = /[\p{L}\p{M}\p{N}]+/gu

/** A word of the query as it is named in explanations, and the ways to write it. */
interface QueryWord {
  readonly word: string
  readonly forms: readonly string[]
}

/**
 * The words of a query one by one: the mean over the words of what the best field with the word is worth. So it stays
 * below what the whole phrase would have reached.
 */
export class WordsQuery implements ScanQuery<LexicalText> {
  readonly #words: readonly QueryWord[]

  constructor(query: string) {
    this.#words = wordsOf(query)
  }

  relevance(text: LexicalText): number {
    let sum = 0
    for (const { forms } of this.#words) {
      if (!forms.some((form) => text.everything.includes(form))) continue
      sum += Math.max(0, ...text.fields.map((field) => worthIn(field, forms)))
    }
    return this.#words.length === 0 ? 0 : sum / this.#words.length
  }

  matches(text: LexicalText): readonly WordMatch[] {
    return this.#words
      .map(({ word, forms }) => ({ word, parts: text.fields.filter((field) => worthIn(field, forms) > 0) }))
      .filter(({ parts }) => parts.length > 0)
      .map(({ word, parts }) => ({ word, fields: parts.map(({ field }) => field) }))
  }
}

function worthIn({ worth, forms }: LexicalField, wanted: readonly string[]): number {
  let best = 0
  for (const form of forms) for (const word of wanted) best = Math.max(best, worth * shareIn(form, word))
  return best
}

function shareIn(text: string, word: string): number {
  let share = 0
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !LETTER_OR_DIGIT.test(text.charAt(at - 1))) return 1
    share = INSIDE_A_WORD
  }
  return share
}

function wordsOf(query: string): readonly QueryWord[] {
  const spokenOf = new Map<string, string>()
  for (const word of foldWidth(query.slice(0, MOST_FIELD_CHARACTERS)).match(WORDS) ?? []) {
    const folded = normaliseText(word)
    if (folded !== '' && !spokenOf.has(folded)) spokenOf.set(folded, spoken(word))
  }
  const words = [...spokenOf.keys()]
  const meaningful = words.filter((word) => !isStopWord(word))
  return (meaningful.length > 0 ? meaningful : words)
    .slice(0, MOST_WORDS)
    .map((word) => ({ word, forms: [...new Set([word, spokenOf.get(word) || word])] }))
}
