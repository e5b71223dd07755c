import { isStopWord } from '../stop-words.ts'
import { isEnglishWord } from './english-words.ts'
import { PhraseBook } from './phrase-book.ts'
import { smallWordIn, SPACED_TABLES } from './small-words.ts'

/** A book whose language a query is in, and the bit of that language among small words. */
export interface FittingBook {
  readonly book: PhraseBook
  readonly bit: number
}

/** A word of a query, as words are compared, and whether it had no accents before. */
export interface SaidWord {
  readonly folded: string
  readonly isPlain: boolean
}

/** A query with so many small words of English, before any of another language, need not be read to its end. */
const ENOUGH_SMALL_WORDS = 3

/** A language that few of the words are in is not the query's. */
const LEAST_SHARE = 0.25

let books: readonly FittingBook[] | undefined

/** Made for the first query that may be foreign: who searches in English does not pay for it. */
function openBooks(): readonly FittingBook[] {
  books ??= SPACED_TABLES.map((table, nth) => ({ book: new PhraseBook(table), bit: 1 << nth }))
  return books
}

/** Nearly all queries are English, and most of them say so with a small word: no book need be opened for them. */
export function looksEnglish(words: readonly string[]): boolean {
  let english = 0
  for (const word of words) {
    const isEnglish = isStopWord(word)
    const isForeign = smallWordIn(word) !== 0
    if (isForeign && !isEnglish && word.length > 1) return false
    if (isEnglish && !isForeign && ++english === ENOUGH_SMALL_WORDS) return true
  }
  return english > 0 || words.every((word) => isStopWord(word) || isEnglishWord(word))
}

/** The book of the language that most of the words are in; undefined where as many are English, or few in any. */
export function fittingBook(said: readonly SaidWord[]): FittingBook | undefined {
  const words = said.map(({ folded }) => folded)
  // English has no accents: `problème` is not `problem`.
  const isEnglish = said.map(({ folded, isPlain }) => isPlain && (isStopWord(folded) || isEnglishWord(folded)))
  let best: FittingBook | undefined
  let most = 0
  for (const fitting of openBooks()) {
    const weight = foreignWeight(words, isEnglish, fitting)
    if (weight > most) [best, most] = [fitting, weight]
  }
  if (best === undefined || most < LEAST_SHARE * words.length) return undefined
  return most > englishWeight(words, isEnglish) ? best : undefined
}

/** How many of the words are in the language of a book and not in English. */
function foreignWeight(words: readonly string[], isEnglish: readonly boolean[], { book, bit }: FittingBook): number {
  const small = new Set<string>()
  let phrases = 0
  for (const [at, word] of words.entries()) {
    if (word.length < 2 || isEnglish[at] === true) continue
    if ((smallWordIn(word) & bit) !== 0) small.add(word)
    else if (book.find(words, at)?.isCompound === false) phrases++
  }
  // A small word alone may be a name, or an English word after all.
  return phrases > 0 || small.size > 1 ? phrases + small.size : 0
}

/** How many of the words are English alone: what another language has, too, says nothing. */
function englishWeight(words: readonly string[], isEnglish: readonly boolean[]): number {
  const isShared = (word: string, at: number): boolean =>
    smallWordIn(word) !== 0 || (!isStopWord(word) && openBooks().some(({ book }) => book.find(words, at) !== undefined))
  return words.filter((word, at) => word.length > 1 && isEnglish[at] === true && !isShared(word, at)).length
}
