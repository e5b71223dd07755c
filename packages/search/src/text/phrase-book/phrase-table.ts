/** A language that queries may be written in. */
export type Language = 'german' | 'french' | 'spanish' | 'portuguese' | 'japanese'

/** The words of one language as people wrote them down; `PhraseBook` makes them quick to look up. */
export interface PhraseTable {
  readonly language: Language
  /** Articles, pronouns and the like: they tell the language, and nothing about which tool is meant. */
  readonly smallWords: string
  /**
   * On each line a meaning in English and the words for it. The words of a meaning are joined by `+`, words of which one
   * is meant by `/`, the likeliest first; `_` joins the words of a foreign phrase. Base forms only, since inflections are
   * cut off.
   */
  readonly phrases: string
}

/** What a foreign phrase means: for each English word of it the ways to say it, likeliest first. */
export type Meaning = readonly (readonly string[])[]

/** More ways to say a word than this would blur what is asked. */
const MOST_WAYS = 4

/**
 * The phrases of a table, each with its meaning; what stands on several lines has the ways of all. `fold` brings the whole
 * table to the form in which words are compared.
 */
export function readPhrases(table: PhraseTable, fold: (text: string) => string): ReadonlyMap<string, Meaning> {
  const meanings = new Map<string, Meaning>()
  for (const line of fold(table.phrases).trim().split('\n')) {
    const [english = '', ...phrases] = line.split(' ')
    const meaning = english.split('+').map((ways) => ways.split('/'))
    for (const phrase of phrases) meanings.set(phrase, joined(meanings.get(phrase), meaning))
  }
  return meanings
}

function joined(known: Meaning | undefined, more: Meaning): Meaning {
  if (known === undefined) return more
  const [ways = []] = known
  const [others = []] = more
  if (known.length > 1 || more.length > 1) return known
  return [[...new Set([...ways, ...others])].slice(0, MOST_WAYS)]
}
