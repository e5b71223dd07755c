import type { Corpus } from '../index/corpus.ts'
import { WHOLE_FLAG } from '../index/document-reader.ts'
import { rarity, stemFrequency, visibleCount } from '../index/frequency.ts'
import { typoCorrections } from './typo-corrections.ts'
import { KNOWN_WORD_MEANING_WEIGHT, OTHER_MEANING_WEIGHT, SYNONYM_WEIGHT, TYPO_WEIGHT } from '../parameters.ts'
import type { QueryTerm } from './query-terms.ts'
import type { CorpusView } from '../index/corpus-view.ts'
import { NO_TERM } from '../index/vocabulary.ts'

/** A term to look up. */
export interface Member {
  readonly term: number
  /** The weight of a full match in a tool: `share` times how rare the word is among the tools. */
  readonly weight: number
  /** Its part in the query: how often it is asked for, less for another word than the typed one. */
  readonly share: number
}

/** One thing that a query asks for: the word and its other words, of which the best counts. */
export interface Concept {
  /** As typed, and its stem. */
  readonly word: string
  readonly ownStem: string
  /** The stem to look for in tools: that of the typed word, or of the meaning of a foreign word. */
  readonly stem: string
  /** The word itself, where a tool has it, before its other words. */
  readonly members: readonly Member[]
  /** How rare the word is among the tools. */
  readonly rarity: number
  /** The weight of a full match; part of the coverage of a query even where no tool has the word. */
  readonly weight: number
}

/** The concepts of a query's terms in a view, weighted by how rare each word is there. */
export function conceptsOf(
  terms: readonly QueryTerm[],
  corpus: Corpus,
  view: CorpusView,
  mayHaveTypos: boolean,
): Concept[] {
  const concepts: Concept[] = []
  for (const term of terms) {
    if (term.meanings.length > 0) {
      concepts.push(translatedConcept(term, corpus, view))
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
    concepts.push({ word: term.word, ownStem: term.stem, stem: term.stem, members, rarity: rareness, weight })
  }
  return concepts
}

function likelyMeant(word: string, corpus: Corpus, view: CorpusView): Member[] {
  const hasTerm = (term: number): boolean => visibleCount(corpus.postings, term, view) > 0
  const hasSurface = (surface: number): boolean => isSurfaceVisible(surface, corpus, view)
  return typoCorrections(word, corpus.vocabulary, { hasTerm, hasSurface }).map((term) => ({
    term,
    weight: TYPO_WEIGHT * rarity(frequencyOf(term, corpus, view), view.count),
    share: TYPO_WEIGHT,
  }))
}

/** Whether a visible document writes its word so. */
function isSurfaceVisible(
  surface: number,
  { vocabulary, postings, surfaces }: Corpus,
  { visible }: CorpusView,
): boolean {
  const term = vocabulary.termOf(surface)
  const start = postings.start(term)
  for (let at = start; at < start + postings.length(term); at++) {
    const document = postings.documents[at] as number
    if (visible !== undefined && visible[document] === 0) continue
    for (const item of surfaces.get(document)) if (item >= 0 && (item & ~WHOLE_FLAG) === surface) return true
  }
  return false
}

function frequencyOf(term: number, corpus: Corpus, view: CorpusView): number {
  return stemFrequency(corpus.vocabulary.termText(term), corpus, view)
}

/** A stem to look up for a foreign word, with what it would be worth in a tool. */
interface TranslatedStem {
  readonly stem: string
  /** Whose rarity counts: that of the English word, for its synonyms, too. */
  readonly rarityOf: string
  /** Before rarity. */
  readonly share: number
}

/**
 * What a foreign word asks for. It is looked up itself, in case tools speak its language, and as each English word that
 * it may mean, each with its own rarity among the tools.
 */
function translatedConcept(term: QueryTerm, corpus: Corpus, view: CorpusView): Concept {
  const frequencyOf = (stem: string): number => stemFrequency(stem, corpus, view)
  const members = new Map<number, Member>()
  let [lead, best] = ['', 0]
  for (const { stem, rarityOf, share } of translatedStems(term, frequencyOf(term.stem) > 0)) {
    if (frequencyOf(stem) === 0) continue
    const weight = share * rarity(frequencyOf(rarityOf), view.count)
    if (lead === '' && stem === rarityOf) lead = stem
    best = Math.max(best, weight)
    const number = corpus.vocabulary.findTerm(stem)
    if (number === NO_TERM || weight <= (members.get(number)?.weight ?? 0)) continue
    members.set(number, { term: number, weight, share })
  }
  const weight = best === 0 ? rarity(0, view.count) : best
  return {
    word: term.word,
    ownStem: term.stem,
    stem: lead === '' ? term.stem : lead,
    members: [...members.values()],
    rarity: weight,
    weight,
  }
}

/** Everything that a foreign word is looked up by; `isKnown` where tools have the word itself. */
export function translatedStems(term: QueryTerm, isKnown: boolean): readonly TranslatedStem[] {
  const emphasis = 1 + Math.log(term.count)
  const ofMeaning = emphasis * (isKnown ? KNOWN_WORD_MEANING_WEIGHT : 1)
  const stems: TranslatedStem[] = [{ stem: term.stem, rarityOf: term.stem, share: emphasis }]
  for (const [nth, { stem, synonyms }] of term.meanings.entries()) {
    const share = ofMeaning * (nth === 0 ? 1 : OTHER_MEANING_WEIGHT)
    stems.push({ stem, rarityOf: stem, share })
    for (const { stem: other, closeness } of synonyms) {
      stems.push({ stem: other, rarityOf: stem, share: share * SYNONYM_WEIGHT * closeness })
    }
  }
  return stems
}
