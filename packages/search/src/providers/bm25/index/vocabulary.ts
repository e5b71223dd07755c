import type { SavedReader, SavedWriter } from '../../../saved/saved-parts.ts'
import { stem } from '../../../text/stem.ts'
import { GrowableInts } from './growable-ints.ts'
import { NO_WORD, WordTable } from './word-table.ts'
import { type WordList, WordsByLetter } from './words-by-letter.ts'

/** No such term: what a lookup of an unknown word answers. */
export const NO_TERM = NO_WORD

/**
 * Numbers for words. A *surface* is a word as written (normalised), a *term* is its stem; every surface has one term.
 * Numbers are never reused, so they can be kept.
 */
export class Vocabulary {
  readonly #surfaceIds = new WordTable()
  readonly #terms = new WordTable()
  readonly #termOfSurface = new GrowableInts()
  readonly #surfacesFrom = new WordsByLetter((surface) => this.surfaceText(surface))
  readonly #termsFrom = new WordsByLetter((term) => this.termText(term))

  get termCount(): number {
    return this.#terms.size
  }

  get surfaceCount(): number {
    return this.#surfaceIds.size
  }

  /** The number of a surface, given out on first sight together with its term's. */
  intern(surface: string): number {
    return this.internRange(surface, 0, surface.length)
  }

  /** `intern` of a part of a text, ASCII capitals folded. */
  internRange(text: string, start: number, end: number): number {
    const known = this.#surfaceIds.find(text, start, end)
    return known === NO_TERM ? this.#addSurface(text.slice(start, end).toLowerCase()) : known
  }

  termOf(surface: number): number {
    return this.#termOfSurface.get(surface)
  }

  /** The term numbers of all surfaces, by surface number. */
  get termsOfSurfaces(): Int32Array {
    return this.#termOfSurface.items
  }

  /** The number of a stem, or `NO_TERM`. */
  findTerm(stemmed: string): number {
    return this.#terms.find(stemmed, 0, stemmed.length)
  }

  /** The number of a word's stem, or `NO_TERM`. */
  findStemOf(word: string): number {
    return this.findTerm(stem(word))
  }

  /** The number of a surface, or `NO_TERM`. */
  findSurface(surface: string): number {
    return this.#surfaceIds.find(surface, 0, surface.length)
  }

  termText(term: number): string {
    return this.#terms.word(term)
  }

  surfaceText(surface: number): string {
    return this.#surfaceIds.word(surface)
  }

  /** The surfaces that begin with the same letter as `word`, so that no search has to look through all. */
  surfacesLike(word: string): WordList {
    return this.#surfacesFrom.like(word, this.surfaceCount)
  }

  /** The terms that begin with the same letter as `word`. */
  termsLike(word: string): WordList {
    return this.#termsFrom.like(word, this.termCount)
  }

  /** Writes all words as parts of a saved index. */
  save(to: SavedWriter): void {
    this.#surfaceIds.save(to, 'vocabulary.surfaces')
    this.#terms.save(to, 'vocabulary.terms')
    to.numbers('vocabulary.termOfSurface', this.#termOfSurface.items.slice(0, this.surfaceCount))
  }

  /** Takes over saved words; the vocabulary must be empty. */
  restore(from: SavedReader): void {
    this.#surfaceIds.restore(from, 'vocabulary.surfaces')
    this.#terms.restore(from, 'vocabulary.terms')
    this.#termOfSurface.restore(from.ints('vocabulary.termOfSurface'))
  }

  #addSurface(surface: string): number {
    const id = this.#surfaceIds.add(surface)
    this.#termOfSurface.set(id, this.internStem(stem(surface)))
    return id
  }

  /** The number of a stem, given out on first sight. */
  internStem(text: string): number {
    const known = this.findTerm(text)
    return known === NO_TERM ? this.#terms.add(text) : known
  }
}
