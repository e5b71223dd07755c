import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../../../tool/tool.ts'
import { BonusScorer } from './bonus-scorer.ts'
import { conceptsOf } from '../query/concepts.ts'
import { corpusOf, numberOf, viewOf } from '../index/corpus.case.ts'
import { BIGRAM_WEIGHT, NAME_COVERAGE_WEIGHT, SURFACE_WEIGHT } from '../parameters.ts'
import { queryWords } from '../query/query-terms.ts'

const corpusWith = (tool: Partial<IndexedTool>) => corpusOf([{ id: 'a', name: 'other', ...tool }])

const bonus = (query: string, tool: Partial<IndexedTool>, before = 'walnut other'): number => {
  const corpus = corpusWith(tool)
  const look = new BonusScorer(corpus)
  for (const text of [before, query]) {
    const { terms, pairs } = queryWords(text)
    look.begin(conceptsOf(terms, corpus, viewOf(corpus), false), pairs)
    look.bonus(numberOf(corpus, 'a'))
  }
  return look.bonus(numberOf(corpus, 'a'))
}

// Of words that are equally rare a pair is worth as much as one of its words.
const PAIR_OF_TWO = BIGRAM_WEIGHT / 2

describe('BonusScorer', () => {
  it('gives a bonus for words as they were typed', () => {
    expect(bonus('readers', { description: 'readers' })).toBeCloseTo(SURFACE_WEIGHT)
    expect(bonus('readers', { description: 'reader' })).toBe(0)
    expect(bonus('readfile', { description: 'readFile' })).toBeCloseTo(SURFACE_WEIGHT)
  })

  it('gives a bonus for neighbours, in order, in one piece of text, in any form', () => {
    expect(bonus('reader files', { description: 'readers file' })).toBeCloseTo(PAIR_OF_TWO)
    expect(bonus('reader files', { description: 'file readers' })).toBe(0)
    expect(bonus('reader files', { description: 'readers of file' })).toBe(0)
    expect(bonus('reader files', { description: 'readers. file' })).toBe(0)
    expect(bonus('reader files', { title: 'readers', description: 'file' })).toBe(0)
    expect(bonus('read file path', { description: 'reads files paths' })).toBeCloseTo((2 / 3) * BIGRAM_WEIGHT)
  })

  it('looks over the whole of an identifier that stands between neighbours', () => {
    expect(bonus('file path', { description: 'readFile paths' })).toBeCloseTo(PAIR_OF_TWO + SURFACE_WEIGHT / 2)
  })

  it('gives a bonus for the share of the name that is asked for', () => {
    expect(bonus('readers', { name: 'reader' })).toBeCloseTo(NAME_COVERAGE_WEIGHT)
    expect(bonus('readers', { name: 'fileReader' })).toBeCloseTo(NAME_COVERAGE_WEIGHT / 2)
    expect(bonus('readers', { title: 'reader' })).toBe(0)
  })

  it('gives nothing for an empty query, and remembers nothing of the one before', () => {
    expect(bonus('', { name: 'other' }, 'other')).toBe(0)
    expect(bonus('zyzzyva', { name: 'other' }, 'other')).toBe(0)
  })
})
