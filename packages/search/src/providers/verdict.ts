/** Whether an answer has what was asked for: a tool that serves it, perhaps one, or none. */
export type Verdict = 'found' | 'unsure' | 'none'

/** From this probability on the first hit is said to serve the request. */
export const FOUND_FROM = 0.85
/** Below this probability no tool is said to serve the request. */
export const NONE_BELOW = 0.3

/** The verdict on an answer by the relevance of its first hit; without a hit it is `none`. */
export function verdictOf(relevance: number | undefined): Verdict {
  // Also for what is no number: providers can be anyone's.
  if (relevance === undefined || !(relevance >= NONE_BELOW)) return 'none'
  return relevance >= FOUND_FROM ? 'found' : 'unsure'
}
