import type { QueryNode } from '../query/query.ts'
import type { QueryReader } from '../query/query-reader.ts'
import { normaliseText } from '../text/normalise.ts'
import { translatedStems } from '../providers/bm25/query/concepts.ts'
import { LONGEST_NAME, possibleNames } from '../providers/bm25/query/exact-names.ts'
import { type QueryTerm, queryWords } from '../providers/bm25/query/query-terms.ts'
import type { ReadQuery } from '../providers/bm25/query/read-query.ts'
import { SYNONYM_WEIGHT } from '../providers/bm25/parameters.ts'
import type { Wanted, WantedStem } from './catalog-engine.ts'

/** In longer queries an unknown word is a name rather than a typo; the same limit as in the ranker. */
const MOST_WORDS_WITH_TYPOS = 8

/** What an engine has to look for, so that every tool that could be ranked high is among its candidates. */
export function wantedBy(query: ReadQuery, vectors: readonly Float32Array[], reader?: QueryReader): Wanted {
  const { terms } = queryWords(query.text, reader)
  const mayHaveTypos = query.root === undefined && terms.length <= MOST_WORDS_WITH_TYPOS
  const name = query.asked.trim()
  return {
    words: terms.flatMap((term) => stemsOf(term, mayHaveTypos)),
    vectors,
    names: name === '' || name.length > LONGEST_NAME ? [] : [...possibleNames(name)],
    prefixes: query.root === undefined ? [] : prefixesIn(query.root),
  }
}

function stemsOf(term: QueryTerm, mayHaveTypos: boolean): readonly WantedStem[] {
  const emphasis = 1 + Math.log(term.count)
  const { stem, word, synonyms, meanings } = term
  if (meanings.length > 0) {
    const [, ...meant] = translatedStems(term, false)
    const own = { stem, weight: emphasis, said: true }
    return [own, ...meant.map(({ stem: other, share }) => ({ stem: other, weight: share, said: share >= emphasis }))]
  }
  const isUnknown = mayHaveTypos && synonyms.length === 0
  return [
    { stem, weight: emphasis, said: true, ...(isUnknown && { word }) },
    ...synonyms.map((other) => ({
      stem: other.stem,
      weight: emphasis * SYNONYM_WEIGHT * other.closeness,
      said: false,
    })),
  ]
}

function prefixesIn(node: QueryNode): readonly string[] {
  switch (node.kind) {
    case 'not':
      return []
    case 'and':
    case 'or':
      return node.children.flatMap(prefixesIn)
    case 'prefix':
      return [normaliseText(node.text).replace(/[^\p{L}\p{N}]/gu, '')].filter((prefix) => prefix !== '')
    default:
      return []
  }
}
