import type { Concept, Member } from './concepts.ts'
import type { Corpus } from './corpus.ts'
import { rarity, stemFrequency } from './frequency.ts'
import { KNOWN_WORD_MEANING_WEIGHT, OTHER_WAY_WEIGHT, SYNONYM_WEIGHT } from './parameters.ts'
import type { QueryTerm } from './query-terms.ts'
import type { View } from './view.ts'
import { NO_TERM } from './vocabulary.ts'

/** A stem to look up for a foreign word, with what it would be worth in a tool. */
export interface ForeignStem {
  readonly stem: string
  /** Whose rarity counts: that of the English word, for its synonyms, too. */
  readonly rarityOf: string
  /** Before rarity. */
  readonly share: number
}

/**
 * What a foreign word asks for. It is looked up itself, in case tools speak its language, and as each English word that
 * it may mean; these are as rare as they are, because nobody said another word that could be rarer.
 */
export function foreignConcept(term: QueryTerm, corpus: Corpus, view: View): Concept {
  const frequencyOf = (stem: string): number => stemFrequency(stem, corpus, view)
  const members = new Map<number, Member>()
  let [lead, best] = ['', 0]
  for (const { stem, rarityOf, share } of foreignStems(term, frequencyOf(term.stem) > 0)) {
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
    said: term.stem,
    stem: lead === '' ? term.stem : lead,
    members: [...members.values()],
    rarity: weight,
    weight,
  }
}

/** Everything that a foreign word is looked up by; `isKnown` where tools have the word itself. */
export function foreignStems(term: QueryTerm, isKnown: boolean): readonly ForeignStem[] {
  const emphasis = 1 + Math.log(term.count)
  const ofMeaning = emphasis * (isKnown ? KNOWN_WORD_MEANING_WEIGHT : 1)
  const stems: ForeignStem[] = [{ stem: term.stem, rarityOf: term.stem, share: emphasis }]
  for (const [nth, { stem, synonyms }] of term.meanings.entries()) {
    const share = ofMeaning * (nth === 0 ? 1 : OTHER_WAY_WEIGHT)
    stems.push({ stem, rarityOf: stem, share })
    for (const { stem: other, closeness } of synonyms) {
      stems.push({ stem: other, rarityOf: stem, share: share * SYNONYM_WEIGHT * closeness })
    }
  }
  return stems
}
