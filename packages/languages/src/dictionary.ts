import type { Meaning } from '@tooldex/search'
import { normaliseText } from '@tooldex/search/text'
import { basesOf, openingsOf, SHORTEST_STEM, stemOf } from './inflections.ts'
import { type LanguageTable, readEntries, type SpacedLanguage } from './language-data.ts'

/** A phrase of several words, by the bases of its words. */
interface Phrase {
  readonly words: readonly string[]
  readonly meaning: Meaning
}

/** An entry found among words: how many of them it covers, and what they mean. */
export interface Entry {
  readonly length: number
  readonly meaning: Meaning
  /** Put together from two entries, as German does; English words may look so, too. */
  readonly isCompound: boolean
}

/** Parts of a compound have at least this many letters, and it as many as both. */
const SHORTEST_PART = 4
/** Longer words are not looked up. */
const LONGEST_WORD = 40
/** Letters that may join the parts of a compound. */
const JOINTS = ['', 's', 'n', 'en', 'es', 'er']

/** The words of a language that is written with spaces, ready to be looked up in any inflection. */
export class Dictionary {
  readonly language: SpacedLanguage
  /** The first letters of all entries. */
  readonly #openings = new Set<string>()
  readonly #words = new Map<string, Meaning>()
  readonly #stems = new Map<string, Meaning>()
  /** By the first word, longest first. */
  readonly #phrases = new Map<string, Phrase[]>()

  constructor(language: SpacedLanguage, table: LanguageTable) {
    this.language = language
    for (const [phrase, meaning] of readEntries(table, foldWord)) this.#enter(phrase.split('_'), meaning)
    for (const phrases of this.#phrases.values()) phrases.sort((a, b) => b.words.length - a.words.length)
  }

  /** The longest entry that begins at a word; words as `foldWord` folds them. */
  find(words: readonly string[], at: number): Entry | undefined {
    const first = words[at] ?? ''
    if (first.length > LONGEST_WORD || !this.#mayHave(first)) return undefined
    const bases = basesOf(first, this.language)
    for (const base of bases) {
      for (const { words: phrase, meaning } of this.#phrases.get(base) ?? []) {
        if (this.#continues(words, at, phrase)) return { length: phrase.length, meaning, isCompound: false }
      }
    }
    const own = this.#meaningOf(bases)
    const meaning = own ?? this.#compound(first)
    return meaning === undefined ? undefined : { length: 1, meaning, isCompound: own === undefined }
  }

  /** A cheap check by the first letters: most words are in no dictionary. */
  #mayHave(word: string): boolean {
    return openingsOf(word, this.language).some((opening) => this.#openings.has(opening))
  }

  #enter(words: readonly string[], meaning: Meaning): void {
    const [first = ''] = words
    this.#openings.add(first.slice(0, SHORTEST_STEM))
    if (words.length === 1) {
      if (!this.#words.has(first)) this.#words.set(first, meaning)
      const stem = stemOf(first, this.language)
      if (!this.#stems.has(stem)) this.#stems.set(stem, meaning)
      return
    }
    for (const start of new Set([first, stemOf(first, this.language)])) {
      const known = this.#phrases.get(start)
      if (known === undefined) this.#phrases.set(start, [{ words, meaning }])
      else known.push({ words, meaning })
    }
  }

  #continues(words: readonly string[], at: number, phrase: readonly string[]): boolean {
    return phrase.every((word, nth) => {
      const said = words[at + nth] ?? ''
      if (nth === 0 || said === word) return true
      const stem = stemOf(word, this.language)
      return said.length <= LONGEST_WORD && basesOf(said, this.language).some((base) => base === word || base === stem)
    })
  }

  #meaningOf(bases: readonly string[]): Meaning | undefined {
    for (const base of bases) {
      const meaning = this.#words.get(base) ?? this.#stems.get(base)
      if (meaning !== undefined) return meaning
    }
    return undefined
  }

  /** German writes `Besprechungsraum` as one word: both parts must be known. */
  #compound(word: string): Meaning | undefined {
    if (this.language !== 'german') return undefined
    for (let cut = SHORTEST_PART; cut <= word.length - SHORTEST_PART; cut++) {
      const tail = this.#meaningOf(basesOf(word.slice(cut), this.language))
      if (tail === undefined) continue
      const head = this.#head(word.slice(0, cut))
      if (head !== undefined) return [...head, ...tail]
    }
    return undefined
  }

  #head(part: string): Meaning | undefined {
    for (const joint of JOINTS) {
      if (!part.endsWith(joint) || part.length - joint.length < SHORTEST_PART) continue
      const bare = part.slice(0, part.length - joint.length)
      const meaning = this.#words.get(bare) ?? this.#stems.get(bare)
      if (meaning !== undefined) return meaning
    }
    return undefined
  }
}

/** How foreign words are compared: width, case and accents folded, `ß` as `ss`, ligatures apart. */
export function foldWord(text: string): string {
  return normaliseText(text).replace(/ß/g, 'ss').replace(/œ/g, 'oe')
}
