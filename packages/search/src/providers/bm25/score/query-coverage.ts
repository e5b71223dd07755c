import type { Concept } from '../query/concepts.ts'
import type { Corpus } from '../index/corpus.ts'
import { B, FIELD_WEIGHT, K1, LEAD_BONUS, ONE } from '../parameters.ts'
import { frequencyIn } from '../index/posting.ts'
import type { CorpusView } from '../index/corpus-view.ts'

/** How well a tool of average length fits a word that it has once in its name and once in its first sentence. */
const GOOD_FREQUENCY = FIELD_WEIGHT.name + FIELD_WEIGHT.description + LEAD_BONUS
const GOOD_FIT = GOOD_FREQUENCY / (GOOD_FREQUENCY + K1 * ONE)

/**
 * The share of a query's concepts that one document covers, 0 to 1, by weight: the absolute measure behind
 * relevance. Words that no tool has count as not covered. Without concepts the coverage is 1.
 */
export function coverageOf(document: number, concepts: readonly Concept[], corpus: Corpus, view: CorpusView): number {
  let possible = 0
  let covered = 0
  const length = corpus.lengths.get(document) / view.averageLength
  for (const { members, weight } of concepts) {
    possible += weight
    let best = 0
    for (const member of members) {
      const frequency = frequencyIn(corpus.postings.valueOf(member.term, document))
      const fit = frequency / (frequency + K1 * ONE * (1 - B + B * length))
      if (fit * member.weight > best) best = fit * member.weight
    }
    covered += best
  }
  return possible === 0 ? 1 : Math.min(1, covered / (GOOD_FIT * possible))
}
