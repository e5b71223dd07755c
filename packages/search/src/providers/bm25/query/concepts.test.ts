import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Concept, conceptsOf } from './concepts.ts'
import { corpusOf, viewOf } from '../index/corpus.case.ts'
import { rarity, visibleCount } from '../index/frequency.ts'
import { SYNONYM_WEIGHT, TYPO_WEIGHT } from '../parameters.ts'
import { queryWords } from './query-terms.ts'

const TOOLS = ['delete file', 'read file', 'readFile file', 'turn walnut'].map((description, i) => ({
  id: `${i}`,
  name: 'x',
  description,
}))
const corpus = corpusOf(TOOLS)
const conceptsFor = (text: string, ids?: ReadonlySet<string>, mayHaveTypos = true): Concept[] =>
  conceptsOf(queryWords(text).terms, corpus, viewOf(corpus, ids), mayHaveTypos)
const meant = (concept: Concept | undefined): string[] =>
  (concept?.members ?? []).map(({ term }) => corpus.vocabulary.termText(term))

describe('rarity', () => {
  it('is positive and falls with every document that has the word', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1000 }), fc.nat({ max: 1000 }), (frequency, others) => {
        const count = frequency + others
        expect(rarity(frequency, count)).toBeGreaterThan(0)
        expect(rarity(frequency - 1, count)).toBeGreaterThan(rarity(frequency, count))
      }),
    )
  })
})

describe('visibleCount', () => {
  it('counts documents of the view', () => {
    const file = corpus.vocabulary.findTerm('file')
    expect(visibleCount(corpus.postings, file, viewOf(corpus))).toBe(3)
    expect(visibleCount(corpus.postings, file, viewOf(corpus, new Set(['1', '3'])))).toBe(1)
    expect(visibleCount(corpus.postings, -1, viewOf(corpus, new Set(['1'])))).toBe(0)
  })
})

describe('conceptsOf', () => {
  it('weighs a word by its rarity in the view and how often it occurs', () => {
    const [once] = conceptsFor('file', new Set(['0', '3']))
    expect(once?.weight).toBe(rarity(1, 2))
    const [thrice] = conceptsFor('file files filing')
    expect(thrice?.rarity).toBe(rarity(3, 4))
    expect(thrice?.weight).toBeCloseTo(rarity(3, 4) * (1 + Math.log(3)))
  })

  it('takes other words for the same thing at a part of the weight', () => {
    const [wipe] = conceptsFor('wipe')
    expect(meant(wipe)).toEqual(['delet'])
    expect(wipe?.members[0]?.weight).toBe(rarity(0, 4) * SYNONYM_WEIGHT)
    expect(meant(conceptsFor('delete')[0])[0]).toBe('delet')
    // `enable` is to `turn on`, and one word of a phrase counts half.
    const [enable] = conceptsFor('enable')
    expect(meant(enable)).toEqual(['turn'])
    expect(enable?.members[0]?.weight).toBe(rarity(0, 4) * SYNONYM_WEIGHT * 0.5)
  })

  it('guesses what an unknown word without other words was meant to be, if it may', () => {
    const [typo] = conceptsFor('wallnut')
    expect(meant(typo)).toEqual(['walnut'])
    expect(typo?.members[0]?.weight).toBe(TYPO_WEIGHT * rarity(1, 4))
    expect(meant(conceptsFor('wallnut', undefined, false)[0])).toEqual([])
    expect(meant(conceptsFor('wallnut', new Set(['0']))[0])).toEqual([])
    expect(meant(conceptsFor('walnut')[0])).toEqual(['walnut'])
  })

  it('counts an unknown word as missed, but not the whole of an unknown identifier', () => {
    expect(conceptsFor('zyzzyva').map(({ word, members }) => [word, members.length])).toEqual([['zyzzyva', 0]])
    expect(conceptsFor('deleteFile').map(({ word }) => word)).toEqual(['delete', 'file'])
    expect(conceptsFor('readFile').map(({ word }) => word)).toEqual(['read', 'file', 'readfile'])
    expect(conceptsFor('readFile', new Set(['1'])).map(({ word }) => word)).toEqual(['read', 'file'])
  })
})
