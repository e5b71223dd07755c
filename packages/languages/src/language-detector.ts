import { isAscii, isStopWord, stem, synonymsOf } from '@tooldex/search/text'
import { Dictionary, foldWord } from './dictionary.ts'
import { type LanguageData, type SpacedLanguage, wordsIn } from './language-data.ts'

/** A word of a query, as typed and in the form in which words are compared. */
export interface QueryWord {
  readonly text: string
  readonly folded: string
}

/** A language that a query may be in: its dictionary, and its bit among function words. */
export interface Candidate {
  readonly dictionary: Dictionary
  readonly bit: number
}

/** After this many function words of English, and none of another language, a query need not be read to its end. */
const ENOUGH_FUNCTION_WORDS = 3

/** A language that few of the words are in is not the query's. */
const LEAST_SHARE = 0.25

/** A query may have this many words that a dictionary does not know for each one that it knows. */
const MOST_UNKNOWN = 1.5

const ASCII_WORD = /[a-z0-9]+/gi
const OTHER_LETTER = /(?![A-Za-z])\p{L}/u
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const HANGUL = /\p{Script=Hangul}/u
/** A letter, a number or an identifier: no dictionary has it. */
const NO_WORD = /^.$|\d|[a-z][A-Z]/
const CAPITAL_OR_DIGIT = /^[\p{Lu}\p{N}]/u
/** A letter that German, French, Spanish and Portuguese do without. */
const UNUSED_LETTER = /(?![a-zäöüßàâæçèéêëîïôœùûÿáíñóúãõªº])\p{L}/iu

/** Identifies the language of a query. Tables are prepared when first needed: an English query opens no dictionary. */
export class LanguageDetector {
  readonly #data: LanguageData
  #functionWords: ReadonlyMap<string, number> | undefined
  #englishStems: ReadonlySet<string> | undefined
  #neighbourWords: ReadonlySet<string> | undefined
  #commonStems: ReadonlySet<string> | undefined
  #candidates: readonly Candidate[] | undefined

  constructor(data: LanguageData) {
    this.#data = data
  }

  /** Whether a query is English beyond doubt. Nearly all queries are, and end here. */
  looksEnglish(text: string): boolean {
    if (OTHER_LETTER.test(text)) return false
    const words = text.toLowerCase().match(ASCII_WORD) ?? []
    let english = 0
    for (const word of words) {
      const isEnglish = isStopWord(word)
      const isForeign = this.#languagesOf(word) !== 0
      if (isForeign && !isEnglish && word.length > 1) return false
      if (isEnglish && !isForeign && ++english === ENOUGH_FUNCTION_WORDS) return true
    }
    return english > 0 || this.#hasOnlyEnglish(words, text.match(ASCII_WORD) ?? [])
  }

  #hasOnlyEnglish(words: readonly string[], typed: readonly string[]): boolean {
    // `a` is a word of other languages, too, but only English has it among words that are all English.
    const mayHaveNames = words.includes('a')
    return words.every((word, at) => {
      const asTyped = typed[at] ?? ''
      if (isStopWord(word) || NO_WORD.test(asTyped)) return true
      return this.#isEnglishWord(word) || this.#isCommonWord(word) || (mayHaveNames && isName(asTyped, at))
    })
  }

  /** The language that most of the words are in; undefined where as many are English, or few in any. */
  detect(query: readonly QueryWord[]): Candidate | undefined {
    const words = query.map(({ folded }) => folded)
    // English has no accents: `problème` is not `problem`.
    const isEnglish = query.map(
      ({ text, folded }) => isAscii(text) && (isStopWord(folded) || this.#isEnglishWord(folded)),
    )
    let best: Candidate | undefined
    let most = 0
    for (const candidate of this.#openCandidates()) {
      const weight = this.#weightOf(candidate, words, isEnglish)
      if (weight > most) [best, most] = [candidate, weight]
    }
    if (best === undefined || most < LEAST_SHARE * words.length) return undefined
    if (most <= this.#englishWeight(words, isEnglish)) return undefined
    return this.#isNeighbour(best, query, isEnglish) ? undefined : best
  }

  /**
   * Whether a text of Chinese, Japanese or Korean is Japanese: it has kana, or Han characters alone and none that only
   * Chinese has.
   */
  mayBeJapanese(text: string): boolean {
    if (KANA.test(text)) return true
    const { chineseCharacters } = this.#data.neighbours
    return !HANGUL.test(text) && !Array.from(text).some((character) => chineseCharacters.includes(character))
  }

  /** Whether a word, folded, is a function word of the candidate's language. */
  isFunctionWord(word: string, { bit }: Candidate): boolean {
    return (this.#languagesOf(word) & bit) !== 0
  }

  /** How many of the words are in the candidate's language and not in English. */
  #weightOf(candidate: Candidate, words: readonly string[], isEnglish: readonly boolean[]): number {
    const functionWords = new Set<string>()
    let phrases = 0
    for (const [at, word] of words.entries()) {
      if (word.length < 2 || isEnglish[at] === true) continue
      if (this.isFunctionWord(word, candidate)) functionWords.add(word)
      else if (candidate.dictionary.find(words, at)?.isCompound === false) phrases++
    }
    // A function word alone may be a name, or an English word after all.
    return phrases > 0 || functionWords.size > 1 ? phrases + functionWords.size : 0
  }

  /** How many of the words are in English alone. Words that another language has, too, are no evidence. */
  #englishWeight(words: readonly string[], isEnglish: readonly boolean[]): number {
    const isShared = (word: string, at: number): boolean =>
      this.#languagesOf(word) !== 0 ||
      (!isStopWord(word) && this.#openCandidates().some(({ dictionary }) => dictionary.find(words, at) !== undefined))
    return words.filter((word, at) => word.length > 1 && isEnglish[at] === true && !isShared(word, at)).length
  }

  /**
   * Whether a query that resembles the candidate's language is in a related one: it has a letter or a word that no
   * language with a table has, or the dictionary does not know most of its words. Names count for neither.
   */
  #isNeighbour(candidate: Candidate, query: readonly QueryWord[], isEnglish: readonly boolean[]): boolean {
    const words = query.map(({ folded }) => folded)
    let [known, unknown] = [0, 0]
    for (let at = 0; at < words.length; ) {
      const { text, folded } = query[at] as QueryWord
      const length = candidate.dictionary.find(words, at)?.length ?? (this.isFunctionWord(folded, candidate) ? 1 : 0)
      const named = isName(text, at)
      if (!named && UNUSED_LETTER.test(text)) return true
      if (length > 0) known += folded.length > 1 ? length : 0
      else if (folded.length > 1 && !named) {
        if (this.#isNeighbourWord(folded)) return true
        if (isEnglish[at] !== true) unknown++
      }
      at += Math.max(1, length)
    }
    return unknown > MOST_UNKNOWN * known
  }

  #isNeighbourWord(word: string): boolean {
    this.#neighbourWords ??= new Set(wordsIn(Object.values(this.#data.neighbours.words).flat()))
    return this.#neighbourWords.has(word)
  }

  #openCandidates(): readonly Candidate[] {
    const languages = Object.entries(this.#data.spaced)
    this.#candidates ??= languages.map(([language, table], nth) => ({
      dictionary: new Dictionary(language as SpacedLanguage, table),
      bit: 1 << nth,
    }))
    return this.#candidates
  }

  /** The languages in which a word, folded, is a function word: a bit for each. */
  #languagesOf(word: string): number {
    this.#functionWords ??= this.#readFunctionWords()
    return this.#functionWords.get(word) ?? 0
  }

  #readFunctionWords(): ReadonlyMap<string, number> {
    const languages = new Map<string, number>()
    for (const [nth, { functionWords }] of Object.values(this.#data.spaced).entries()) {
      for (const word of wordsIn(functionWords).map(foldWord)) {
        languages.set(word, (languages.get(word) ?? 0) | (1 << nth))
      }
    }
    return languages
  }

  /** Whether a word is one of the English words that tools and requests are made of; not a stop word. */
  #isEnglishWord(word: string): boolean {
    const stemmed = stem(word)
    if (synonymsOf(stemmed).length > 0) return true
    const { toolWords, lookAlikes } = this.#data.english
    this.#englishStems ??= new Set(wordsIn([...toolWords, ...lookAlikes]).map(stem))
    return this.#englishStems.has(stemmed)
  }

  #isCommonWord(word: string): boolean {
    this.#commonStems ??= new Set(wordsIn(this.#data.english.commonWords).map(stem))
    return this.#commonStems.has(stem(word))
  }
}

/** Whether a word is likely a name: a capital or a digit first, and not the first word of the query. */
function isName(word: string, at: number): boolean {
  return at > 0 && CAPITAL_OR_DIGIT.test(word)
}
