import type { WordEvidence } from './bm25/score/evidence.ts'
import { type Evidence, type ModelledRanking, probabilityOf } from './relevance-model.ts'

/** A hit with a raw relevance. */
interface Ranked {
  readonly document: number
  readonly score: number
  readonly relevance: number
}

/** What meaning says of the first hit. */
export type MeaningEvidence = Pick<Evidence, 'nearness' | 'outstanding'>

export const NO_MEANING = (): MeaningEvidence => ({ nearness: 0, outstanding: 0 })

/** In a list of a few tools any first hit is far ahead, which says nothing. */
const MOST_MARGIN = 0.4
/** So many hits are looked at, even where fewer are wanted: a relevance does not depend on the length of the answer. */
export const COMPARED_HITS = 10

/** Hears the evidence for the first hit of each ranking: what the model is fitted by. */
export type Observe = (evidence: Evidence, document: number) => void

/**
 * The hits of one ranking with probabilities for relevances: that of the first is worked out from the evidence, the
 * others keep their distance from it and never rise. Hits of a query whose conditions decide keep what they have.
 */
export function calibrated<Hit extends Ranked>(
  hits: readonly Hit[],
  { evidence }: { readonly evidence?: (document: number) => WordEvidence },
  meaningOf: (document: number) => MeaningEvidence,
  ranking: ModelledRanking,
  observe?: Observe,
): Hit[] {
  const [first] = hits
  if (first === undefined || evidence === undefined) return [...hits]
  const margin = Math.min(MOST_MARGIN, aheadOf(first, hits[1]))
  const lead = Math.min(1, aheadOf(first, hits[COMPARED_HITS - 1]))
  const found = { ...evidence(first.document), ...meaningOf(first.document), margin, lead }
  observe?.(found, first.document)
  let least = probabilityOf(found, ranking)
  const share = first.relevance > 0 ? least / first.relevance : 0
  return hits.map((hit) => {
    least = Math.min(least, share * hit.relevance)
    return { ...hit, relevance: least }
  })
}

/** How far a hit is ahead of another, in shares of its score; all the way where there is no other. */
function aheadOf(first: Ranked, other: Ranked | undefined): number {
  return other === undefined || first.score <= 0 ? 1 : 1 - other.score / first.score
}
