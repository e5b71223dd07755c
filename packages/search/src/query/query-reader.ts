/**
 * Reads queries that are not in English; `@tooldex/languages` has one. Providers that get none take every query as it
 * is typed.
 */
export interface QueryReader {
  /**
   * The reading of a query, or of a part of one. Undefined where it is in English or in a language that the reader does
   * not know. Depends on the text alone.
   */
  read(text: string): QueryReading | undefined
}

/** A query in another language than English, taken apart. */
export interface QueryReading {
  /** The English name of the language, in lower case. */
  readonly language: string
  readonly parts: readonly QueryPart[]
  /** The query in English words, for models that know English alone; empty if nothing could be read. */
  readonly english: string
  /** How much of the query could be read, 0 to 1. */
  readonly shareRead: number
}

/** A stretch of a query: a phrase that could be read, a function word to leave out, or any other text. */
export interface QueryPart {
  readonly text: string
  readonly kind: 'phrase' | 'function-word' | 'other'
  /** The meaning of a phrase in English; empty for other parts. */
  readonly meaning: Meaning
}

/** The meaning of a foreign phrase: for each English word of it the alternatives, likeliest first. */
export type Meaning = readonly (readonly string[])[]
