/**
 * The numbers of the ranking. Chosen on the four public development sets and checked by leaving one set out at a time
 * (`docs/explain/ranking.md` lists the contribution of each part); most optima are flat, so none of these needs another
 * digit.
 */

/** How often a word counts in each field, in quarters so that weighted frequencies stay whole numbers. */
export const FIELD_WEIGHT = { name: 8, title: 4, server: 4, description: 4, parameters: 3, tags: 4 } as const
/** Added to a word of the description's first sentence, in quarters. */
export const LEAD_BONUS = 2
/** One occurrence, in quarters. */
export const ONE = 4

/** BM25's saturation and length normalisation, for tools. */
export const K1 = 1.2
export const B = 0.8

/** The same for servers as documents of their own, and what their score adds to their tools'. */
export const SERVER_K1 = 2
export const SERVER_B = 0.75
export const SERVER_WEIGHT = 0.4
/** A word of the server's name counts twice in the server's document. */
export const SERVER_NAME_COUNT = 2

/** The weight of a synonym beside the word itself. */
export const SYNONYM_WEIGHT = 0.45
/** The weight of another meaning of a foreign word beside the likeliest one. */
export const OTHER_MEANING_WEIGHT = 0.8
/** The weight of the meaning of a foreign word where tools have the word itself. */
export const KNOWN_WORD_MEANING_WEIGHT = 0.45
/** The weight of a corrected word beside the misspelt one, where the correction is not certain. */
export const TYPO_WEIGHT = 0.7

/** The weight of the best clause of a long query beside the query as a whole. */
export const CLAUSE_WEIGHT = 0.5
/** Fewer words than this are no clause of their own. */
export const CLAUSE_MIN_TERMS = 3

/** Bonuses of the best candidates: neighbouring words, a name wholly asked for, the very form of a word. */
export const BIGRAM_WEIGHT = 0.3
export const NAME_COVERAGE_WEIGHT = 0.1
export const SURFACE_WEIGHT = 0.03
/** How many of the best tools are looked at closely. */
export const CANDIDATES = 20

/**
 * What counts beyond the words, in the units of bonuses: the asked kind of action, its contrary, the direction of a
 * conversion, what is excluded, and the named service.
 */
export const FIT_WEIGHT = { agrees: 0.2, contradicts: 0.25, direction: 0.25, excluded: 0.6, service: 0.9 }
/** How many of the best tools are judged by it. */
export const JUDGED = 40
/** A word is a service's name if this part of the tools that have it belong to a server with that name. */
export const SERVICE_SHARE = 0.5

/** Limits that keep a hostile or careless query from costing much. */
export const MOST_QUERY_CHARACTERS = 10_000
export const MOST_QUERY_TERMS = 256
export const MOST_CLAUSES = 24
/** Phrases and prefixes: each may read every document that has the words. */
export const MOST_PATTERNS = 64
export const MOST_FIELD_CHARACTERS = 32_768
