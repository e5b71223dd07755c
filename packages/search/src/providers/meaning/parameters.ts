/**
 * The numbers of ranking by meaning, chosen like those of `bm25` (`docs/explain/ranking.md`).
 */

/**
 * The weight of meaning beside words, both in deviations from the mean over the tools of the view, by the built-in
 * table; an embedder with a `weight` of its own multiplies it.
 */
export const MEANING_WEIGHT = 0.7
/** Its additional weight where no tool has any of the query's words; in proportion where some are known. */
export const UNKNOWN_WORDS_WEIGHT = 2
/**
 * In a query of more words than this meaning counts less: many words are specific, and the mean of their vectors is
 * not.
 */
export const TELLING_WORDS = 10

/** The weight of the nearness of a tool's server, in deviations as well. */
export const SERVER_NEARNESS_WEIGHT = 0.3

/** Of a long query, this part of its nearness is that of its nearest clause. */
export const CLAUSE_SHARE = 0.5
/** More parts of a long query than this are not embedded: each costs a comparison with all vectors. */
export const MOST_EMBEDDED_CLAUSES = 8
/** More of a text of a query than this is not embedded. */
export const MOST_EMBEDDED_CHARACTERS = 4_000

/** A foreign query of which less than this part could be read is not put into English: the rest would mislead. */
export const LEAST_READ = 0.3

/** From this nearness on a tool is said to mean what was asked. */
export const MEANT = 0.3

/** Words or meaning, whichever is surer of a tool, decides this part of its relevance; the other one the rest. */
export const SURER_SHARE = 0.7

/** By this part a tool's nearness counts less towards relevance where no tool has any of the query's words. */
export const UNKNOWN_WORDS_DOUBT = 0.5

/** How long a search waits for the vector of its query. */
export const QUERY_BUDGET_MS = 150
