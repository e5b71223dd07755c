import type { Meaning } from '@tooldex/search'
import english from './data/english.json' with { type: 'json' }
import french from './data/french.json' with { type: 'json' }
import german from './data/german.json' with { type: 'json' }
import japanese from './data/japanese.json' with { type: 'json' }
import neighbours from './data/neighbours.json' with { type: 'json' }
import portuguese from './data/portuguese.json' with { type: 'json' }
import spanish from './data/spanish.json' with { type: 'json' }

/** A language that queries may be written in, its words separated by spaces. */
export type SpacedLanguage = 'german' | 'french' | 'spanish' | 'portuguese'

/** The bilingual table of one language. */
export interface LanguageTable {
  /** Articles, pronouns and the like, in lines of words: they identify the language, and not the tool that is meant. */
  readonly functionWords: readonly string[]
  /**
   * English meanings with the words for them. The words of a meaning are joined by `+`, alternatives by `/`, the
   * likeliest first; `_` joins the words of a foreign phrase. Base forms only: inflections are cut off.
   */
  readonly entries: Readonly<Record<string, string>>
}

/** All data of the reader. */
export interface LanguageData {
  /** In order of preference where two languages fit a query equally well. */
  readonly spaced: Readonly<Record<SpacedLanguage, LanguageTable>>
  readonly japanese: LanguageTable
  /** English words, in lines. */
  readonly english: {
    readonly toolWords: readonly string[]
    /** Words that look like a word of another language. */
    readonly lookAlikes: readonly string[]
    /** Words and names that no dictionary has: queries that have no other unknown words need no dictionary. */
    readonly commonWords: readonly string[]
  }
  /** Languages that have no table here and resemble one that has. */
  readonly neighbours: {
    /** Frequent words that the language with a table does without, in lines, accents removed. */
    readonly words: Readonly<Record<string, readonly string[]>>
    /** Frequent characters, simplified and traditional, that Japanese writes differently or not at all. */
    readonly chineseCharacters: string
  }
}

export const LANGUAGE_DATA: LanguageData = {
  spaced: { german, french, spanish, portuguese },
  japanese,
  english,
  neighbours,
}

/** More alternatives than this would blur what is asked. */
const MOST_ALTERNATIVES = 4

/**
 * The phrases of a table, each with its meaning; a phrase of several lines has the alternatives of all. `fold` brings
 * phrases to the form in which they are compared.
 */
export function readEntries(table: LanguageTable, fold: (text: string) => string): ReadonlyMap<string, Meaning> {
  const meanings = new Map<string, Meaning>()
  for (const [english, phrases] of Object.entries(table.entries)) {
    const meaning = english.split('+').map((alternatives) => alternatives.split('/'))
    for (const phrase of fold(phrases).split(' ')) meanings.set(phrase, joined(meanings.get(phrase), meaning))
  }
  return meanings
}

function joined(known: Meaning | undefined, more: Meaning): Meaning {
  if (known === undefined) return more
  const [alternatives = []] = known
  const [others = []] = more
  if (known.length > 1 || more.length > 1) return known
  return [[...new Set([...alternatives, ...others])].slice(0, MOST_ALTERNATIVES)]
}

/** The words of lines of words. */
export function wordsIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '))
}
