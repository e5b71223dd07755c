import type { QueryReader } from '../../../query/query-reader.ts'
import { CLAUSE_MIN_TERMS, MOST_CLAUSES } from '../parameters.ts'
import { type QueryTerm, queryWords } from './query-terms.ts'

// Ends of sentences, list marks, dashes, and words that begin the next request. Of several signs in a
// row the last is enough: repeating them here would make a line of ten thousand cost a hundred million steps.
const CLAUSE_END =
  /[.!?;\n•](?:\s|$)|[。！？；]|,\s+(?:and|then|but|or|plus|also)\s+|\b(?:and then|as well as|and also)\b|—|–|\s-\s|:\s/i

/** A part of a long query that asks for something of its own. */
export interface Clause {
  readonly text: string
  readonly terms: readonly QueryTerm[]
}

/**
 * The parts of a long query that ask for something of their own. Empty where there are fewer than two: then the
 * query as a whole is enough.
 */
export function clausesOf(text: string, reader?: QueryReader): readonly Clause[] {
  const parts = text.split(CLAUSE_END)
  if (parts.length < 2) return []
  const clauses: Clause[] = []
  for (const part of parts) {
    if (part === undefined || clauses.length === MOST_CLAUSES) continue
    const { terms } = queryWords(part, reader, true)
    if (terms.length >= CLAUSE_MIN_TERMS) clauses.push({ text: part, terms })
  }
  return clauses.length > 1 ? clauses : []
}
