import type { WordEvidence } from './bm25/score/evidence.ts'
import { RELEVANCE_MODEL } from './relevance-model.generated.ts'

/** What speaks for and against the first hit of a ranking. */
export interface Evidence extends WordEvidence {
  /** How near its meaning is to the query's; 0 where only words were compared. */
  readonly nearness: number
  /** By how many deviations it is nearer than the visible tools on average, 0 to 1 for many. */
  readonly outstanding: number
  /** How far it is ahead of the second hit, in shares of its score. */
  readonly margin: number
  /** How far it is ahead of the tenth: whether it is one of many, or one of a few. */
  readonly lead: number
}

/** The rankings that have a model of their own: what a figure says depends on what was compared. */
export type ModelledRanking = 'words' | 'meaning' | 'both'

/** The evidence in the order of the model's weights; products of two tell what neither does alone. */
export function featuresOf(evidence: Evidence): readonly number[] {
  const { coverage, present, named, rarestMissing, unknown, nameAsked, length, nearness } = evidence
  const { asksAction, agrees, contradicts, differs, verbPresent, direction, excluded } = evidence
  const { asksService, otherService, objectNamed, objectPresent } = evidence
  return [
    1,
    coverage,
    present,
    named,
    rarestMissing,
    unknown,
    nameAsked,
    length,
    asksAction,
    agrees,
    contradicts,
    differs,
    asksAction * verbPresent,
    objectNamed,
    objectPresent,
    direction,
    excluded,
    asksService,
    otherService,
    nearness,
    evidence.outstanding,
    // Among tools that do not fit, being ahead says nothing.
    evidence.margin * Math.max(present, nearness),
    present * present,
    present * length,
    nearness * nearness,
    nearness * present,
    named * nameAsked,
    coverage * length,
    objectNamed * agrees,
    asksService * objectNamed,
    asksAction * (1 - length) * objectNamed,
    evidence.catalog,
    evidence.lead * Math.max(present, nearness),
  ]
}

/** The probability that the first hit serves the query. */
export function probabilityOf(evidence: Evidence, ranking: ModelledRanking): number {
  const weights = RELEVANCE_MODEL[ranking]
  let sum = 0
  for (const [number, feature] of featuresOf(evidence).entries()) sum += (weights[number] ?? 0) * feature
  return 1 / (1 + Math.exp(-sum))
}
