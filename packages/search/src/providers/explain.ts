import type { Explanation } from './search-provider.ts'
import type { SearchField } from '../tool/tool.ts'

/** One word of a query and where a tool has it. */
export type WordMatch = Explanation['matches'][number]

const FIELDS: readonly SearchField[] = ['name', 'title', 'server', 'description', 'parameters', 'tags']
const LONGEST_QUOTE = 80

/** The explanation of a hit; what several queries say of one word is joined, fields in a fixed order. */
export function explainMatches(matches: readonly WordMatch[]): Explanation {
  const fieldsOf = new Map<string, Set<SearchField>>()
  for (const { word, fields } of matches) {
    const known = fieldsOf.get(word) ?? new Set()
    for (const field of fields) known.add(field)
    fieldsOf.set(word, known)
  }
  const joined = Array.from(fieldsOf, ([word, fields]) => ({
    word,
    fields: FIELDS.filter((field) => fields.has(field)),
  }))
  return {
    matches: joined,
    text: joined.map(({ word, fields }) => `${quote(word)} in ${fields.join(', ')}`).join(' · '),
  }
}

function quote(word: string): string {
  return word.length > LONGEST_QUOTE ? `"${word.slice(0, LONGEST_QUOTE)}…"` : `"${word}"`
}
