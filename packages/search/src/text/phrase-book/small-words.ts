import { FRENCH } from './french.ts'
import { GERMAN } from './german.ts'
import { foldForeign } from './phrase-book.ts'
import type { PhraseTable } from './phrase-table.ts'
import { PORTUGUESE } from './portuguese.ts'
import { SPANISH } from './spanish.ts'

/** The tables of languages that are written with spaces; of two that fit a query equally well the first is taken. */
export const SPACED_TABLES: readonly PhraseTable[] = [GERMAN, FRENCH, SPANISH, PORTUGUESE]

let languagesBySmallWord: ReadonlyMap<string, number> | undefined

/** In which of the `SPACED_TABLES` a word is a small one: a bit for each. */
export function smallWordIn(word: string): number {
  languagesBySmallWord ??= readSmallWords()
  return languagesBySmallWord.get(word) ?? 0
}

function readSmallWords(): ReadonlyMap<string, number> {
  const languages = new Map<string, number>()
  for (const [nth, { smallWords }] of SPACED_TABLES.entries()) {
    for (const word of foldForeign(smallWords).trim().split(/\s+/)) {
      languages.set(word, (languages.get(word) ?? 0) | (1 << nth))
    }
  }
  return languages
}
