import type { Concept } from '../query/concepts.ts'
import type { Corpus } from '../index/corpus.ts'
import { B, FIELD_WEIGHT, K1, LEAD_BONUS, ONE } from '../parameters.ts'
import { frequencyIn } from '../index/posting.ts'
import type { CorpusView } from '../index/corpus-view.ts'

/** How well a tool of average length fits a word that it has once in its name and once in its first sentence. */
const GOOD_FREQUENCY = FIELD_WEIGHT.name + FIELD_WEIGHT.description + LEAD_BONUS
const GOOD_FIT = GOOD_FREQUENCY / (GOOD_FREQUENCY + K1 * ONE)

/**
 * The share of what these concepts could reach that one document does reach, 0 to 1: the absolute measure behind
 * relevance. Words that no tool has count as not reached. Without concepts nothing is missed.
 */
export function coverageOf(document: number, concepts: readonly Concept[], corpus: Corpus, view: CorpusView): number {
  let reachable = 0
  let reached = 0
  const length = corpus.lengths.get(document) / view.averageLength
  for (const { members, weight } of concepts) {
    reachable += weight
    let best = 0
    for (const member of members) {
      const frequency = frequencyIn(corpus.postings.valueOf(member.term, document))
      const fit = frequency / (frequency + K1 * ONE * (1 - B + B * length))
      if (fit * member.weight > best) best = fit * member.weight
    }
    reached += best
  }
  return reachable === 0 ? 1 : Math.min(1, reached / (GOOD_FIT * reachable))
}
