// Fitted on the development sets with half of their queries as the log; see docs/explain/ranking.md.

/** A use loses half of its weight in so long. */
export const HALF_LIFE_MS = 30 * 24 * 60 * 60 * 1_000
/** So many uses are kept; the oldest go. */
export const MOST_USES = 5_000
/** So many uses of one caller are kept, so that no caller displaces what others taught. */
export const MOST_USES_OF_CALLER = 500
export const LONGEST_QUERY = 500

/** What a use counts whose tool was found first anyway. */
export const FIRST_WEIGHT = 0.05
/** The part of words in the similarity of two queries; the rest is their meaning. */
export const WORDS_SHARE = 0.3
export const LEAST_SIMILARITY = 0.15
/** Past queries of which the meaning is compared, those with the most words in common. */
export const MOST_COMPARED = 32
/** So many past queries are looked up by their words, from the rarest word on; those with the rarest always. */
export const MOST_MENTIONS = 128
/**
 * Similarity counts to this power where no wanted tool was used before, when only a query that is nearly the same tells
 * of one, and to this much less where all were, when several distant queries do as well.
 */
export const NEARNESS_POWER = 5
export const COVERED_POWER_CUT = 2.5
/** The most that evidence can be where no wanted tool was used before. */
export const UNCOVERED_STRENGTH = 0.4
/** How fast evidence grows towards 1. */
export const STRENGTH_RATE = 2
/** The most that one caller can say for a tool; several callers are needed for full strength. */
export const CALLER_CAP = 0.5

/** How far full evidence lifts a tool, in multiples of the best score, if the ranking is not sure at all. */
export const LIFT = 10
/** The part of the lift that a tool gets which the ranking itself finds unfit. */
export const UNFIT_LIFT = 0.6
/** How far full evidence for its server lifts a tool, by the same measure, if the ranking finds it as fit as the best. */
export const SERVER_LIFT = 4
/** How fit a tool is counts to this power: of a server that is meant, only what is nearly the best can be meant. */
export const SERVER_FIT_POWER = 3
/** The doubt about the first hit counts to this power: a ranking that is fairly sure is hardly changed. */
export const DOUBT_POWER = 1.5
/**
 * What is left of the doubt where the ranking is quite sure, if all wanted tools were used before: its certainty is
 * fitted to other catalogs, and may be wrong about this one.
 */
export const LEAST_DOUBT = 0.2
/** So many hits are ranked anew. */
export const DEPTH = 50
