import type { Concept } from './concepts.ts'
import type { Corpus } from './corpus.ts'
import { BIGRAM_WEIGHT, NAME_COVERAGE_WEIGHT, SURFACE_WEIGHT } from './parameters.ts'
import type { QueryPair } from './query-terms.ts'

const NAME_MARK = -1

/**
 * What a list of postings cannot tell: whether words stand side by side, whether the query asks for the whole name, and
 * whether a word stands there just as typed. Reads the documents themselves, so only the best candidates get it.
 */
export class CloseLook {
  readonly #corpus: Corpus
  readonly #pairValues = new Map<number, number>()
  /** 1 + the number of the concept whose own word a term is, by term. */
  readonly #conceptOfTerm = new Map<number, number>()
  readonly #surfaceOfConcept: number[] = []
  readonly #rarities: number[] = []
  readonly #total: number

  constructor(concepts: readonly Concept[], pairs: readonly QueryPair[], corpus: Corpus) {
    this.#corpus = corpus
    const conceptOfStem = new Map<string, number>()
    let total = 0
    for (const [number, concept] of concepts.entries()) {
      conceptOfStem.set(concept.stem, number)
      const term = corpus.vocabulary.findTerm(concept.stem)
      if (term >= 0) this.#conceptOfTerm.set(term, number)
      this.#surfaceOfConcept.push(corpus.vocabulary.findSurface(concept.word))
      this.#rarities.push(concept.rarity)
      total += concept.rarity
    }
    this.#total = total
    for (const { first, second } of pairs) {
      const a = conceptOfStem.get(first)
      const b = conceptOfStem.get(second)
      if (a === undefined || b === undefined) continue
      const value = ((this.#rarities[a] as number) + (this.#rarities[b] as number)) / 2
      this.#pairValues.set(this.#pairKey(a, b), value)
    }
  }

  /** The bonus of a document, at most the sum of the three weights. */
  bonus(number: number): number {
    if (this.#total === 0) return 0
    const { surfaces } = this.#corpus.document(number)
    const terms = this.#corpus.vocabulary.termsOfSurfaces
    const seenPairs = new Set<number>()
    const seenSurfaces = new Set<number>()
    const nameTerms = new Set<number>()
    let coveredNameTerms = 0
    let isName = false
    let previous: number | undefined
    for (const surface of surfaces) {
      if (surface < 0) {
        isName = surface === NAME_MARK
        previous = undefined
        continue
      }
      const term = terms[surface] as number
      const concept = this.#conceptOfTerm.get(term)
      if (isName && !nameTerms.has(term)) {
        nameTerms.add(term)
        if (concept !== undefined) coveredNameTerms++
      }
      if (concept !== undefined) {
        if (this.#surfaceOfConcept[concept] === surface) seenSurfaces.add(concept)
        if (previous !== undefined) seenPairs.add(this.#pairKey(previous, concept))
      }
      previous = concept
    }
    const nameShare = nameTerms.size === 0 ? 0 : coveredNameTerms / nameTerms.size
    return (
      (BIGRAM_WEIGHT * this.#pairsWorth(seenPairs)) / this.#total +
      (SURFACE_WEIGHT * this.#surfacesWorth(seenSurfaces)) / this.#total +
      NAME_COVERAGE_WEIGHT * nameShare
    )
  }

  // Sums run over the query, not over the document, so that equal sums are equal to the last bit.
  #pairsWorth(seen: ReadonlySet<number>): number {
    if (seen.size === 0) return 0
    let worth = 0
    for (const [pair, value] of this.#pairValues) if (seen.has(pair)) worth += value
    return worth
  }

  #surfacesWorth(seen: ReadonlySet<number>): number {
    if (seen.size === 0) return 0
    let worth = 0
    for (const [concept, rarity] of this.#rarities.entries()) if (seen.has(concept)) worth += rarity
    return worth
  }

  #pairKey(first: number, second: number): number {
    return first * 65_536 + second
  }
}
