import type { Corpus } from './corpus.ts'
import { nearbyTerms } from './nearby-terms.ts'
import { SYNONYM_WEIGHT, TYPO_WEIGHT } from './parameters.ts'
import type { PostingLists } from './posting-lists.ts'
import type { QueryTerm } from './query-terms.ts'
import type { View } from './view.ts'
import { NO_TERM } from './vocabulary.ts'

/** A term to look up. */
export interface Member {
  readonly term: number
  /** What a full match in a tool is worth: `share` times how rare the word is among the tools. */
  readonly weight: number
  /** Its part in the query: how often it is asked for, less for another word than the one that was said. */
  readonly share: number
}

/** One thing that a query asks for: the word and its other words, of which the best counts. */
export interface Concept {
  /** As typed, and its stem. */
  readonly word: string
  readonly stem: string
  /** The word itself, where a tool has it, before its other words. */
  readonly members: readonly Member[]
  /** How rare the word is among the tools. */
  readonly rarity: number
  /** What a full match is worth; counts towards what could be reached even where no tool has the word. */
  readonly weight: number
}

/** What the terms of a query mean in a view: weights from how rare each word is there. */
export function conceptsOf(terms: readonly QueryTerm[], corpus: Corpus, view: View, mayHaveTypos: boolean): Concept[] {
  const concepts: Concept[] = []
  for (const term of terms) {
    const found = corpus.vocabulary.findTerm(term.stem)
    const frequency = view.catalog?.frequencies.get(term.stem) ?? visibleCount(corpus.postings, found, view)
    if (frequency === 0 && term.isWhole) continue
    const emphasis = 1 + Math.log(term.count)
    const rareness = rarity(frequency, view.count)
    const weight = rareness * emphasis
    const members: Member[] = frequency > 0 && found !== NO_TERM ? [{ term: found, weight, share: emphasis }] : []
    for (const synonym of term.synonyms) {
      const other = corpus.vocabulary.findTerm(synonym.stem)
      const share = SYNONYM_WEIGHT * synonym.closeness
      if (other !== NO_TERM && other !== found)
        members.push({ term: other, weight: weight * share, share: emphasis * share })
    }
    if (mayHaveTypos && frequency === 0 && term.synonyms.length === 0) {
      members.push(...likelyMeant(term.word, corpus, view))
    }
    concepts.push({ word: term.word, stem: term.stem, members, rarity: rareness, weight })
  }
  return concepts
}

function likelyMeant(word: string, corpus: Corpus, view: View): Member[] {
  const isVisible = (term: number): boolean => visibleCount(corpus.postings, term, view) > 0
  return nearbyTerms(word, corpus.vocabulary, isVisible).map((term) => ({
    term,
    weight: TYPO_WEIGHT * rarity(frequencyOf(term, corpus, view), view.count),
    share: TYPO_WEIGHT,
  }))
}

function frequencyOf(term: number, corpus: Corpus, view: View): number {
  return view.catalog?.frequencies.get(corpus.vocabulary.termText(term)) ?? visibleCount(corpus.postings, term, view)
}

/** The inverse document frequency of BM25, never negative. */
export function rarity(frequency: number, count: number): number {
  return Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
}

/** How many documents of the view have a term. */
export function visibleCount(postings: PostingLists, term: number, view: View): number {
  const length = postings.length(term)
  const { visible } = view
  if (visible === undefined || length === 0) return length
  const start = postings.start(term)
  const documents = postings.documents
  let count = 0
  for (let at = start; at < start + length; at++) count += visible[documents[at] as number] as number
  return count
}
