import type { Corpus } from './corpus.ts'
import { WHOLE_FLAG } from './document-reader.ts'
import { foreignConcept } from './foreign-concept.ts'
import { rarity, stemFrequency, visibleCount } from './frequency.ts'
import { nearbyTerms } from './nearby-terms.ts'
import { SYNONYM_WEIGHT, TYPO_WEIGHT } from './parameters.ts'
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
  readonly said: string
  /** The stem that tools are looked at for: what was said, or what a foreign word means. */
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
    if (term.meanings.length > 0) {
      concepts.push(foreignConcept(term, corpus, view))
      continue
    }
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
    concepts.push({ word: term.word, said: term.stem, stem: term.stem, members, rarity: rareness, weight })
  }
  return concepts
}

function likelyMeant(word: string, corpus: Corpus, view: View): Member[] {
  const hasTerm = (term: number): boolean => visibleCount(corpus.postings, term, view) > 0
  const hasSurface = (surface: number): boolean => isSurfaceVisible(surface, corpus, view)
  return nearbyTerms(word, corpus.vocabulary, { hasTerm, hasSurface }).map((term) => ({
    term,
    weight: TYPO_WEIGHT * rarity(frequencyOf(term, corpus, view), view.count),
    share: TYPO_WEIGHT,
  }))
}

/** Whether a visible document writes its word so. */
function isSurfaceVisible(surface: number, { vocabulary, postings, surfaces }: Corpus, { visible }: View): boolean {
  const term = vocabulary.termOf(surface)
  const start = postings.start(term)
  for (let at = start; at < start + postings.length(term); at++) {
    const document = postings.documents[at] as number
    if (visible !== undefined && visible[document] === 0) continue
    for (const item of surfaces.get(document)) if (item >= 0 && (item & ~WHOLE_FLAG) === surface) return true
  }
  return false
}

function frequencyOf(term: number, corpus: Corpus, view: View): number {
  return stemFrequency(corpus.vocabulary.termText(term), corpus, view)
}
