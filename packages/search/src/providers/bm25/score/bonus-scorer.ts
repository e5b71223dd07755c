import type { Concept } from '../query/concepts.ts'
import type { Corpus } from '../index/corpus.ts'
import { WHOLE_FLAG } from '../index/document-reader.ts'
import { GrowableInts } from '../index/growable-ints.ts'
import { BIGRAM_WEIGHT, NAME_COVERAGE_WEIGHT, SURFACE_WEIGHT } from '../parameters.ts'
import type { QueryPair } from '../query/query-terms.ts'

const NAME_MARK = -1
const NONE = -1

/**
 * Facts that postings do not have: whether words stand side by side, whether the query has the whole name, and
 * whether a word stands there just as typed. Reads the documents themselves, so only the best candidates get it.
 */
export class BonusScorer {
  readonly #corpus: Corpus
  /** 1 + the number of the concept whose own word a term is, by term; cleared after each query. */
  readonly #conceptOfTerm = new GrowableInts()
  /** By concept: its term, the surface that was typed, and how rare it is. */
  #terms: number[] = []
  #surfaces: number[] = []
  #rarities: number[] = []
  #total = 0
  /** The second concepts of pairs, by their first. */
  #pairs = new Map<number, { readonly second: number; readonly worth: number; readonly number: number }[]>()
  #pairWorths: number[] = []
  /** The document in which a concept's surface, or a pair, was last seen. */
  #surfaceSeenIn: Int32Array = new Int32Array(0)
  #pairSeenIn: Int32Array = new Int32Array(0)

  constructor(corpus: Corpus) {
    this.#corpus = corpus
  }

  /** Sets the query to look for. */
  begin(concepts: readonly Concept[], pairs: readonly QueryPair[]): void {
    for (const term of this.#terms) if (term >= 0) this.#conceptOfTerm.set(term, 0)
    const { vocabulary } = this.#corpus
    this.#conceptOfTerm.reserve(vocabulary.termCount)
    this.#terms = concepts.map((concept) => vocabulary.findTerm(concept.stem))
    this.#surfaces = concepts.map((concept) => vocabulary.findSurface(concept.word))
    this.#rarities = concepts.map((concept) => concept.rarity)
    this.#total = this.#rarities.reduce((sum, rarity) => sum + rarity, 0)
    for (const [concept, term] of this.#terms.entries()) if (term >= 0) this.#conceptOfTerm.set(term, concept + 1)
    this.#beginPairs(concepts, pairs)
    this.#surfaceSeenIn = new Int32Array(concepts.length).fill(NONE)
  }

  /** The bonus of a document, at most the sum of the three weights. */
  bonus(document: number): number {
    if (this.#total === 0) return 0
    const { surfaces, vocabulary } = this.#corpus
    const { items } = surfaces
    const terms = vocabulary.termsOfSurfaces
    const conceptOfTerm = this.#conceptOfTerm.items
    const end = surfaces.start(document) + surfaces.length(document)
    let nameTerms = 0
    let coveredNameTerms = 0
    let isName = false
    let previous = NONE
    for (let at = surfaces.start(document); at < end; at++) {
      const item = items[at] as number
      if (item < 0) {
        isName = item === NAME_MARK
        previous = NONE
        continue
      }
      const surface = item & ~WHOLE_FLAG
      const concept = (conceptOfTerm[terms[surface] as number] as number) - 1
      if (concept >= 0 && this.#surfaces[concept] === surface) this.#surfaceSeenIn[concept] = document
      if (item !== surface) continue
      if (isName) {
        nameTerms++
        if (concept >= 0) coveredNameTerms++
      }
      if (concept >= 0 && previous >= 0) this.#notePair(previous, concept, document)
      previous = concept
    }
    const nameShare = nameTerms === 0 ? 0 : coveredNameTerms / nameTerms
    return (
      (BIGRAM_WEIGHT * worthSeen(this.#pairWorths, this.#pairSeenIn, document)) / this.#total +
      (SURFACE_WEIGHT * worthSeen(this.#rarities, this.#surfaceSeenIn, document)) / this.#total +
      NAME_COVERAGE_WEIGHT * nameShare
    )
  }

  #beginPairs(concepts: readonly Concept[], pairs: readonly QueryPair[]): void {
    const conceptOfStem = new Map(concepts.map((concept, number) => [concept.ownStem, number]))
    this.#pairs = new Map()
    this.#pairWorths = []
    for (const { first, second } of pairs) {
      const a = conceptOfStem.get(first)
      const b = conceptOfStem.get(second)
      if (a === undefined || b === undefined) continue
      const worth = ((this.#rarities[a] as number) + (this.#rarities[b] as number)) / 2
      const known = this.#pairs.get(a) ?? []
      known.push({ second: b, worth, number: this.#pairWorths.length })
      this.#pairs.set(a, known)
      this.#pairWorths.push(worth)
    }
    this.#pairSeenIn = new Int32Array(this.#pairWorths.length).fill(NONE)
  }

  #notePair(first: number, second: number, document: number): void {
    for (const pair of this.#pairs.get(first) ?? []) {
      if (pair.second === second) this.#pairSeenIn[pair.number] = document
    }
  }
}

/** Sums in the order of the query, not of the document, so that equal sums are equal to the last bit. */
function worthSeen(worths: readonly number[], seenIn: Int32Array, document: number): number {
  let worth = 0
  for (let i = 0; i < worths.length; i++) if (seenIn[i] === document) worth += worths[i] as number
  return worth
}
