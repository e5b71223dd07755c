import type { Meaning, QueryPart, QueryReader, QueryReading } from '@tooldex/search'
import { containsCjk, foldWidth } from '@tooldex/search/text'
import { foldWord } from './dictionary.ts'
import { JapaneseDictionary } from './japanese-dictionary.ts'
import { LANGUAGE_DATA, type LanguageData } from './language-data.ts'
import { type Candidate, LanguageDetector, type QueryWord } from './language-detector.ts'

/**
 * A reader of queries in German, French, Spanish, Portuguese and Japanese, for the providers of `@tooldex/search`.
 * English and all other languages are left alone. Dictionaries are indexed when a query first needs them, so one reader
 * should serve all providers of a program.
 * @param data other tables than the ones that come with the package
 */
export function createQueryReader(data: LanguageData = LANGUAGE_DATA): QueryReader {
  return new DictionaryReader(data)
}

interface PlacedWord extends QueryWord {
  readonly start: number
  readonly end: number
}

/** The language of a query shows in its first words. */
const MOST_WORDS_WEIGHED = 64
/** Longer queries are read up to here; the rest is kept as it is. */
const MOST_WORDS_READ = 128

const WORD = /[\p{L}\p{M}\p{N}]+/gu
const HUMP = /\p{Ll}\p{Lu}/u
const CJK_RUN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々。、！？・「」]+/gu
const SIGNIFICANT_LETTER = /(?!\p{Script=Hiragana})[\p{L}\p{N}]/gu
const NO_MEANING: Meaning = []

class DictionaryReader implements QueryReader {
  readonly #data: LanguageData
  readonly #detector: LanguageDetector
  #japanese: JapaneseDictionary | undefined

  constructor(data: LanguageData) {
    this.#data = data
    this.#detector = new LanguageDetector(data)
  }

  read(text: string): QueryReading | undefined {
    if (this.#detector.looksEnglish(text)) return undefined
    const folded = foldWidth(text)
    if (containsCjk(folded)) {
      return this.#detector.mayBeJapanese(folded) ? readingOf('japanese', this.#japaneseParts(folded)) : undefined
    }
    const words = wordsOf(folded)
    const candidate = this.#detector.detect(words.slice(0, MOST_WORDS_WEIGHED))
    if (candidate === undefined) return undefined
    return readingOf(candidate.dictionary.language, this.#parts(folded, words, candidate))
  }

  #parts(text: string, words: readonly PlacedWord[], candidate: Candidate): readonly QueryPart[] {
    const folded = words.map((word) => word.folded)
    const parts: QueryPart[] = []
    let rest = 0
    for (let at = 0; at < words.length; ) {
      const { start, folded: word } = words[at] as PlacedWord
      const entry = candidate.dictionary.find(folded, at)
      const length = entry?.length ?? 1
      const isFunctionWord = length === 1 && this.#detector.isFunctionWord(word, candidate)
      const end = words[at + length - 1]?.end ?? text.length
      at += length
      if (entry === undefined && !isFunctionWord) continue
      pushOther(parts, text.slice(rest, start))
      const own = text.slice(start, end)
      parts.push(isFunctionWord ? functionWord(own) : phrase(own, entry?.meaning ?? NO_MEANING))
      rest = end
    }
    pushOther(parts, text.slice(rest))
    return parts
  }

  #japaneseParts(text: string): readonly QueryPart[] {
    this.#japanese ??= new JapaneseDictionary(this.#data.japanese)
    const parts: QueryPart[] = []
    let rest = 0
    for (let at = 0; at < text.length; ) {
      const run = this.#japanese.find(text, at)
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
    return parts
  }
}

function wordsOf(text: string): readonly PlacedWord[] {
  const words: PlacedWord[] = []
  WORD.lastIndex = 0
  for (let match = WORD.exec(text); match !== null && words.length < MOST_WORDS_READ; match = WORD.exec(text)) {
    const start = match.index
    const end = start + match[0].length
    // An identifier, or the beginning of a word, is no word of any language.
    const folded = HUMP.test(match[0]) || text[end] === '*' ? '' : foldWord(match[0])
    words.push({ text: match[0], folded, start, end })
  }
  return words
}

function readingOf(language: string, parts: readonly QueryPart[]): QueryReading {
  return { language, parts, english: inEnglish(parts), shareRead: shareRead(parts) }
}

/** Names stay; Japanese that the dictionary does not have is left out. */
function inEnglish(parts: readonly QueryPart[]): string {
  const words = parts.flatMap(({ kind, text, meaning }) =>
    kind === 'other' ? [text.replace(CJK_RUN, ' ').trim()] : meaning.map((alternatives) => alternatives[0] ?? ''),
  )
  return words.filter((word) => word !== '').join(' ')
}

/** By letters, without function words and Japanese endings. */
function shareRead(parts: readonly QueryPart[]): number {
  let [read, all] = [0, 0]
  for (const { kind, text } of parts) {
    if (kind === 'function-word') continue
    const letters = text.match(SIGNIFICANT_LETTER)?.length ?? 0
    all += letters
    if (kind === 'phrase') read += letters
  }
  return all === 0 ? 1 : read / all
}

function phrase(text: string, meaning: Meaning): QueryPart {
  return { text, kind: 'phrase', meaning }
}

function functionWord(text: string): QueryPart {
  return { text, kind: 'function-word', meaning: NO_MEANING }
}

function pushOther(parts: QueryPart[], text: string): void {
  if (/[\p{L}\p{N}]/u.test(text)) parts.push({ text, kind: 'other', meaning: NO_MEANING })
}
