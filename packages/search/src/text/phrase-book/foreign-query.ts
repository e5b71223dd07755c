import { containsCjk } from '../cjk.ts'
import { foldWidth, isAscii } from '../normalise.ts'
import { JAPANESE } from './japanese.ts'
import { JapaneseBook } from './japanese-book.ts'
import { foldForeign } from './phrase-book.ts'
import type { Language, Meaning } from './phrase-table.ts'
import { type FittingBook, fittingBook, looksEnglish, type SaidWord } from './fitting-book.ts'
import { smallWordIn } from './small-words.ts'

/** A stretch of a query: a phrase that the book has, a small word to leave out, or whatever else was typed. */
export interface QueryPart {
  readonly text: string
  readonly kind: 'phrase' | 'small' | 'other'
  /** What a phrase means in English; empty for other parts. */
  readonly meaning: Meaning
}

/** A query in a language that a phrase book is for. */
export interface ForeignQuery {
  readonly language: Language
  readonly parts: readonly QueryPart[]
}

interface Word extends SaidWord {
  readonly start: number
  readonly end: number
}

/** The language of a query shows in its first words. */
const MOST_WORDS_WEIGHED = 64
/** Longer queries are read up to here; the rest is kept as it is. */
const MOST_WORDS_READ = 128

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const ASCII_WORD = /[a-z0-9]+/g
const HUMP = /\p{Ll}\p{Lu}/u
const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々。、！？・「」]+/gu
const TELLING_LETTER = /(?!\p{Script=Hiragana})[\p{L}\p{N}]/gu
const NOTHING: Meaning = []

let japaneseBook: JapaneseBook | undefined

/**
 * Reads a query that is in another language than English; undefined for English, and for languages without a book.
 * Depends on the text alone.
 */
export function readForeignQuery(text: string): ForeignQuery | undefined {
  if (isAscii(text) && looksEnglish(text.toLowerCase().match(ASCII_WORD) ?? [])) return undefined
  const folded = foldWidth(text)
  if (containsCjk(folded)) return readJapanese(folded)
  const words = wordsOf(folded)
  const fitting = fittingBook(words.slice(0, MOST_WORDS_WEIGHED))
  if (fitting === undefined) return undefined
  return { language: fitting.book.language, parts: partsOf(folded, words, fitting) }
}

/** How much of a foreign query a book could read, 0 to 1, by letters; Japanese endings and small words aside. */
export function shareRead({ parts }: ForeignQuery): number {
  let [read, all] = [0, 0]
  for (const { kind, text } of parts) {
    if (kind === 'small') continue
    const letters = text.match(TELLING_LETTER)?.length ?? 0
    all += letters
    if (kind === 'phrase') read += letters
  }
  return all === 0 ? 1 : read / all
}

/** A foreign query in English words, for who reads nothing else; names stay, Japanese that no book has does not. */
export function inEnglish({ parts }: ForeignQuery): string {
  const words = parts.flatMap(({ kind, text, meaning }) =>
    kind === 'other' ? [text.replace(CJK_RUN, ' ').trim()] : meaning.map((ways) => ways[0] ?? ''),
  )
  return words.filter((word) => word !== '').join(' ')
}

function wordsOf(text: string): readonly Word[] {
  const words: Word[] = []
  WORD.lastIndex = 0
  for (let match = WORD.exec(text); match !== null && words.length < MOST_WORDS_READ; match = WORD.exec(text)) {
    const start = match.index
    const end = start + match[0].length
    // An identifier, or the beginning of a word, is no word of any language.
    const folded = HUMP.test(match[0]) || text[end] === '*' ? '' : foldForeign(match[0])
    words.push({ folded, isPlain: isAscii(match[0]), start, end })
  }
  return words
}

function partsOf(text: string, words: readonly Word[], { book, bit }: FittingBook): readonly QueryPart[] {
  const folded = words.map((word) => word.folded)
  const parts: QueryPart[] = []
  let rest = 0
  for (let at = 0; at < words.length; ) {
    const { start, folded: word } = words[at] as Word
    const entry = book.find(folded, at)
    const length = entry?.length ?? 1
    const isSmall = (smallWordIn(word) & bit) !== 0 && length === 1
    const end = words[at + length - 1]?.end ?? text.length
    at += length
    if (entry === undefined && !isSmall) continue
    pushOther(parts, text.slice(rest, start))
    parts.push(isSmall ? small(text.slice(start, end)) : phrase(text.slice(start, end), entry?.meaning ?? NOTHING))
    rest = end
  }
  pushOther(parts, text.slice(rest))
  return parts
}

function readJapanese(text: string): ForeignQuery {
  japaneseBook ??= new JapaneseBook(JAPANESE)
  const parts: QueryPart[] = []
  let rest = 0
  for (let at = 0; at < text.length; ) {
    const run = japaneseBook.find(text, at)
    if (run === undefined) {
      at++
      continue
    }
    pushOther(parts, text.slice(rest, at))
    at += run.length
    parts.push(phrase(text.slice(at - run.length, at), run.meaning))
    rest = at
  }
  pushOther(parts, text.slice(rest))
  return { language: 'japanese', parts }
}

function phrase(text: string, meaning: Meaning): QueryPart {
  return { text, kind: 'phrase', meaning }
}

function small(text: string): QueryPart {
  return { text, kind: 'small', meaning: NOTHING }
}

function pushOther(parts: QueryPart[], text: string): void {
  if (/[\p{L}\p{N}]/u.test(text)) parts.push({ text, kind: 'other', meaning: NOTHING })
}
