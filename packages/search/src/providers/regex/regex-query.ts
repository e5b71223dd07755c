import type { SearchField } from '../../tool/tool.ts'
import type { WordMatch } from '../explain.ts'
import type { ScanQuery } from '../scan-provider.ts'
import type { RegexField, RegexText } from './regex-text.ts'
import { foldForLiterals } from './required-literals.ts'
import type { TextMatcher } from './text-matcher.ts'

const KEY_RELEVANCE = 1
const NAME_RELEVANCE = 0.97
const NAME_COVERED_RELEVANCE = 0.95

/** The weight of a match in a field; that of a name rises from here with the share of the name that is matched. */
const FIELD_RELEVANCE: Readonly<Record<SearchField, number>> = {
  name: 0.7,
  title: 0.6,
  server: 0.5,
  parameters: 0.45,
  tags: 0.4,
  description: 0.35,
}

/** One pattern, held against one tool after another. The best field that matches decides. */
export class RegexQuery implements ScanQuery<RegexText> {
  readonly #query: string
  readonly #folded: string
  readonly #matcher: TextMatcher
  readonly #checkTime: () => void

  /** @param checkTime called once per tool; throws when the search has taken too long */
  constructor(query: string, matcher: TextMatcher, checkTime: () => void) {
    this.#query = query
    this.#folded = foldForLiterals(query)
    this.#matcher = matcher
    this.#checkTime = checkTime
  }

  relevance(text: RegexText): number {
    // A name with brackets or dots means itself, too, not only the pattern that it happens to be.
    if (text.keys.includes(this.#folded)) return KEY_RELEVANCE
    if (text.name === this.#folded) return NAME_RELEVANCE
    this.#checkTime()
    if (!this.#matcher.mayMatch(text)) return 0
    let best = 0
    for (const part of text.fields) {
      if (best >= FIELD_RELEVANCE[part.field]) return best
      best = Math.max(best, this.#match(part)?.relevance ?? 0)
    }
    return best
  }

  matches(text: RegexText): readonly WordMatch[] {
    const fields = text.fields.flatMap((part) => this.#match(part)?.field ?? [])
    return [{ word: this.#query, fields: fields.length > 0 ? fields : ['name'] }]
  }

  #match(part: RegexField): FieldMatch | undefined {
    const { field, text, from } = part
    if (field !== 'name') return this.#matcher.test(text) ? { field, relevance: FIELD_RELEVANCE[field] } : undefined
    const match = this.#matcher.find(text)
    if (match === undefined) return undefined
    if (from > 0 && match.end <= from) return { field: 'server', relevance: FIELD_RELEVANCE.server }
    const covered = Math.min(1, (match.end - match.start) / text.length)
    return { field, relevance: FIELD_RELEVANCE.name + covered * (NAME_COVERED_RELEVANCE - FIELD_RELEVANCE.name) }
  }
}

interface FieldMatch {
  readonly field: SearchField
  readonly relevance: number
}
