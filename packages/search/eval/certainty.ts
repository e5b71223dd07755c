/** An answer to a query, with how sure the ranker was of its first hit and whether that hit was right. */
export interface Certainty {
  readonly relevance: number
  readonly isRight: boolean
}

const BINS = 10

/**
 * The calibration error: answers go into ten bins by relevance, and of each bin the mean relevance is compared with the
 * share of right answers; the mean of the differences over all answers. 0 where relevance is the probability it claims.
 */
export function calibrationError(answers: readonly Certainty[]): number {
  const bins = Map.groupBy(answers, ({ relevance }) => Math.min(BINS - 1, Math.floor(relevance * BINS)))
  let error = 0
  for (const bin of bins.values()) {
    error += Math.abs(bin.reduce((sum, { relevance, isRight }) => sum + relevance - Number(isRight), 0))
  }
  return error / Math.max(answers.length, 1)
}

/**
 * The calibration error that answers have on average, about, if every relevance is exactly the probability: in few
 * answers the shares of right ones are off by chance.
 */
export function errorByChance(relevances: readonly number[]): number {
  const bins = Map.groupBy(relevances, (relevance) => Math.min(BINS - 1, Math.floor(relevance * BINS)))
  let error = 0
  for (const bin of bins.values()) {
    const variance = bin.reduce((sum, relevance) => sum + relevance * (1 - relevance), 0)
    error += Math.sqrt((2 / Math.PI) * variance)
  }
  return error / Math.max(relevances.length, 1)
}

/** The chance that one of `higher` is above one of `lower`, a tie counting half: .5 is guessing, 1 is perfect. */
export function areaUnderCurve(higher: readonly number[], lower: readonly number[]): number {
  let won = 0
  for (const a of higher) for (const b of lower) won += a > b ? 1 : a === b ? 0.5 : 0
  return won / Math.max(higher.length * lower.length, 1)
}
