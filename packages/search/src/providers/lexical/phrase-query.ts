import type { WordMatch } from '../explain.ts'
import type { ScanQuery } from '../scan-provider.ts'
import { type LexicalField, type LexicalText, spoken, written } from './lexical-text.ts'

const KEY_RELEVANCE = 1
const NAME_RELEVANCE = 0.97
const SPOKEN_NAME_RELEVANCE = 0.95
/** How far a field's worth rises with the share of the field that the phrase covers. Fields not named are prose. */
const COVERAGE_WORTH: ReadonlyMap<LexicalField['field'], number> = new Map([
  ['name', 0.15],
  ['title', 0.05],
  ['server', 0.05],
])
const NAME_PREFIX_WORTH = 0.05
/**
 * A second and third field with the phrase order tools whose best field is equally good, and never lift them a step.
 */
const OTHER_FIELD_WORTH = 0.002

/** The whole query as a substring: in the name over the namespace over description and tags. */
export class PhraseQuery implements ScanQuery<LexicalText> {
  readonly #query: string
  /** The ways to write the phrase; none when nothing is left to look for. */
  readonly #phrases: readonly string[]

  constructor(query: string) {
    this.#query = query
    this.#phrases = phrasesOf(query)
  }

  relevance(text: LexicalText): number {
    if (!this.#isIn(text.everything)) return 0
    if (this.#phrases.some((phrase) => text.keys.includes(phrase))) return KEY_RELEVANCE
    const values = text.fields.map((field) => this.#fieldRelevance(field)).filter((value) => value > 0)
    if (values.length === 0) return 0
    return Math.max(...values) + OTHER_FIELD_WORTH * (values.length - 1)
  }

  matches(text: LexicalText): readonly WordMatch[] {
    const fields = text.fields.filter((field) => this.#fieldRelevance(field) > 0).map(({ field }) => field)
    // A key can be met as a whole without being met in one of its halves.
    return [{ word: this.#query, fields: fields.length > 0 ? fields : ['name'] }]
  }

  #isIn(form: string): boolean {
    return this.#phrases.some((phrase) => form.includes(phrase))
  }

  #fieldRelevance({ field, worth, forms }: LexicalField): number {
    let best = 0
    for (const form of forms) {
      for (const phrase of this.#phrases) {
        if (!form.includes(phrase)) continue
        if (field === 'name' && form === phrase) {
          // As written comes first among forms and phrases alike, so the better of the two is met first.
          return form === forms[0] && phrase === this.#phrases[0] ? NAME_RELEVANCE : SPOKEN_NAME_RELEVANCE
        }
        const covered = (COVERAGE_WORTH.get(field) ?? 0) * (phrase.length / form.length)
        const prefix = field === 'name' && form.startsWith(phrase) ? NAME_PREFIX_WORTH : 0
        best = Math.max(best, worth + covered + prefix)
      }
    }
    return best
  }
}

/** The spoken form counts only where it is the same letters: `c++` must not become a search for `c`. */
function phrasesOf(query: string): readonly string[] {
  const asWritten = written(query)
  const asSpoken = spoken(query)
  const sameLetters = asSpoken.replaceAll(' ', '') === asWritten.replace(/[\s_\-./:]+/g, '')
  return [...new Set(sameLetters ? [asWritten, asSpoken] : [asWritten])].filter((phrase) => phrase !== '')
}
