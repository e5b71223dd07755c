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
  readonly #termIds = new Map<string, number>()
  readonly #terms: string[] = []
  readonly #termOfSurface = new GrowableInts()
  readonly #surfacesFrom = new WordsByLetter((surface) => this.surfaceText(surface))
  readonly #termsFrom = new WordsByLetter((term) => this.termText(term))

  get termCount(): number {
    return this.#terms.length
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
    return this.#termIds.get(stemmed) ?? NO_TERM
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
    return this.#terms[term] ?? ''
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
    const surfaces = Array.from({ length: this.surfaceCount }, (_, surface) => this.surfaceText(surface))
    to.json('vocabulary.surfaces', surfaces)
    to.json('vocabulary.terms', this.#terms)
    to.numbers('vocabulary.termOfSurface', this.#termOfSurface.items.slice(0, surfaces.length))
  }

  /** Takes over saved words; the vocabulary must be empty. */
  restore(from: SavedReader): void {
    for (const surface of from.json('vocabulary.surfaces') as readonly string[]) this.#surfaceIds.add(surface)
    for (const term of from.json('vocabulary.terms') as readonly string[]) this.#internTerm(term)
    this.#termOfSurface.restore(from.ints('vocabulary.termOfSurface'))
  }

  #addSurface(surface: string): number {
    const id = this.#surfaceIds.add(surface)
    this.#termOfSurface.set(id, this.#internTerm(stem(surface)))
    return id
  }

  #internTerm(text: string): number {
    const known = this.#termIds.get(text)
    if (known !== undefined) return known
    const id = this.#terms.length
    this.#terms.push(text)
    this.#termIds.set(text, id)
    return id
  }
}
