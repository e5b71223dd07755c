import type { Corpus } from '../index/corpus.ts'
import { rarity, stemFrequency, visibleCount } from '../index/frequency.ts'
import { likelyMeant } from './spelling.ts'
import * as parameters from '../parameters.ts'
import type { QueryTerm } from './query-terms.ts'
import type { CorpusView } from '../index/corpus-view.ts'
import { NO_TERM } from '../index/vocabulary.ts'

const { KNOWN_WORD_MEANING_WEIGHT, OTHER_MEANING_WEIGHT, TYPO_WEIGHT } = parameters
const { SERVICE_SHARE, SYNONYM_WEIGHT } = parameters

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
  /** How surely the word is the name of a service, 0 to 1. */
  readonly service: number
}

/** The concepts of a query's terms in a view, weighted by how rare each word is there. */
export function conceptsOf(terms: readonly QueryTerm[], corpus: Corpus, view: CorpusView, isShort: boolean): Concept[] {
  const concepts: Concept[] = []
  for (const term of terms) {
    if (term.meanings.length > 0) {
      concepts.push(translatedConcept(term, corpus, view, isShort))
      continue
    }
    const found = corpus.vocabulary.findTerm(term.stem)
    const frequency = view.catalog?.stems.get(term.stem)?.tools ?? visibleCount(corpus.postings, found, view)
    if (frequency === 0 && term.isWhole) continue
    const emphasis = 1 + Math.log(term.count)
    const rareness = rarity(frequency, view.count)
    const service = isShort ? serviceShare(found, view) : 0
    const weight = rareness * emphasis
    const members: Member[] = frequency > 0 && found !== NO_TERM ? [{ term: found, weight, share: emphasis }] : []
    for (const synonym of term.synonyms) {
      const other = corpus.vocabulary.findTerm(synonym.stem)
      const share = SYNONYM_WEIGHT * synonym.closeness
      if (other !== NO_TERM && other !== found)
        members.push({ term: other, weight: weight * share, share: emphasis * share })
    }
    if (isShort && frequency === 0 && term.synonyms.length === 0) {
      members.push(...likelyMembers(term.word, corpus, view))
    }
    concepts.push({ word: term.word, ownStem: term.stem, stem: term.stem, members, rarity: rareness, weight, service })
  }
  return concepts
}

function likelyMembers(word: string, corpus: Corpus, view: CorpusView): Member[] {
  return likelyMeant(word, corpus, view).map((term) => ({
    term,
    weight: TYPO_WEIGHT * rarity(frequencyOf(term, corpus, view), view.count),
    share: TYPO_WEIGHT,
  }))
}

/**
 * How surely a word is the name of a service: the share of the tools with the word that belong to a server with that
 * name. `trello` hardly occurs elsewhere, `task` does.
 */
function serviceShare(term: number, { terms, serverCount }: CorpusView): number {
  if (term === NO_TERM || serverCount < 2) return 0
  const { count, inServerName } = terms.of(term)
  return inServerName < SERVICE_SHARE * count || count === 0 ? 0 : inServerName / count
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
function translatedConcept(term: QueryTerm, corpus: Corpus, view: CorpusView, isShort: boolean): Concept {
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
  // A brand may be written in full or in short, or in another script.
  const service = Math.max(
    0,
    ...[...members.values()]
      .filter(({ share }) => isShort && share >= 0.99)
      .map((member) => serviceShare(member.term, view)),
  )
  const weight = best === 0 ? rarity(0, view.count) : best
  return {
    word: term.word,
    ownStem: term.stem,
    stem: lead === '' ? term.stem : lead,
    members: [...members.values()],
    rarity: weight,
    weight,
    service,
  }
}

/** Everything that a foreign word is looked up by; `isKnown` where tools have the word itself. */
export function translatedStems(term: QueryTerm, isKnown: boolean): readonly TranslatedStem[] {
  const emphasis = 1 + Math.log(term.count)
  const ofMeaning = emphasis * (isKnown && !term.isAbbreviation ? KNOWN_WORD_MEANING_WEIGHT : 1)
  const stems: TranslatedStem[] = [{ stem: term.stem, rarityOf: term.stem, share: emphasis }]
  for (const { stem, closeness } of term.synonyms) {
    stems.push({ stem, rarityOf: term.stem, share: emphasis * SYNONYM_WEIGHT * closeness })
  }
  for (const [nth, { stem, synonyms }] of term.meanings.entries()) {
    const share = ofMeaning * (nth === 0 || term.isAbbreviation ? 1 : OTHER_MEANING_WEIGHT)
    stems.push({ stem, rarityOf: stem, share })
    for (const { stem: other, closeness } of synonyms) {
      stems.push({ stem: other, rarityOf: stem, share: share * SYNONYM_WEIGHT * closeness })
    }
  }
  return stems
}
