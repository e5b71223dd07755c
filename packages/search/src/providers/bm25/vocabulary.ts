import { stem } from '../../text/stem.ts'
import { GrowableInts } from './growable-ints.ts'

/** No such term: what a lookup of an unknown word answers. */
export const NO_TERM = -1

/**
 * Numbers for words. A *surface* is a word as written (normalised), a *term* is its stem; every surface has one term.
 * Numbers are never reused, so they can be kept.
 */
export class Vocabulary {
  readonly #surfaceIds = new Map<string, number>()
  readonly #surfaces: string[] = []
  readonly #termIds = new Map<string, number>()
  readonly #terms: string[] = []
  readonly #termOfSurface = new GrowableInts()

  get termCount(): number {
    return this.#terms.length
  }

  get surfaceCount(): number {
    return this.#surfaces.length
  }

  /** The number of a surface, given out on first sight together with its term's. */
  intern(surface: string): number {
    const known = this.#surfaceIds.get(surface)
    if (known !== undefined) return known
    const id = this.#surfaces.length
    this.#surfaces.push(surface)
    this.#surfaceIds.set(surface, id)
    this.#termOfSurface.set(id, this.#internTerm(stem(surface)))
    return id
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
    return this.#surfaceIds.get(surface) ?? NO_TERM
  }

  termText(term: number): string {
    return this.#terms[term] ?? ''
  }

  surfaceText(surface: number): string {
    return this.#surfaces[surface] ?? ''
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
