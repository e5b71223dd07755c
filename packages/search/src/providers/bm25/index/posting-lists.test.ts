import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PostingLists } from './posting-lists.ts'

const operation = fc.record({
  term: fc.nat({ max: 3 }),
  document: fc.nat({ max: 40 }),
  value: fc.option(fc.integer({ min: 1, max: 1_000_000 }), { freq: 3 }),
})

const contentsOf = (lists: PostingLists, term: number): [number, number][] => {
  const start = lists.start(term)
  return Array.from({ length: lists.length(term) }, (_, i) => [
    lists.documents[start + i] as number,
    lists.values[start + i] as number,
  ])
}

describe('PostingLists', () => {
  it('holds what was set and not deleted, in the order of documents', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 150, size: 'max' }), (operations) => {
        const lists = new PostingLists()
        const model = Array.from({ length: 4 }, () => new Map<number, number>())
        for (const { term, document, value } of operations) {
          if (value === null) lists.delete(term, document)
          else lists.set(term, document, value)
          if (value === null) model[term]?.delete(document)
          else model[term]?.set(document, value)
          expect(lists.valueOf(term, document)).toBe(value ?? 0)
        }
        for (const [term, expected] of model.entries()) {
          expect(contentsOf(lists, term)).toEqual([...expected].sort(([a], [b]) => a - b))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('leaves the block of a list that moved to others', () => {
    const lists = new PostingLists()
    lists.set(0, 1, 1)
    const first = lists.start(0)
    for (let document = 2; document <= 9; document++) lists.set(0, document, document)
    lists.set(1, 5, 5)
    expect(lists.start(1)).toBe(first)
    expect(contentsOf(lists, 1)).toEqual([[5, 5]])
    expect(contentsOf(lists, 0).map(([document]) => document)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('takes no more room when documents come and go', () => {
    const lists = new PostingLists()
    for (let round = 0; round < 500; round++) {
      for (let term = 0; term < 20; term++) lists.set(term, round, 1)
      for (let term = 0; term < 20; term++) lists.delete(term, round)
    }
    expect(lists.documents.length).toBe(new PostingLists().documents.length)
  })

  it('has nothing for a term that does not exist', () => {
    const lists = new PostingLists()
    lists.set(0, 0, 7)
    expect([lists.length(-1), lists.valueOf(-1, 0), lists.length(99), lists.valueOf(99, 0)]).toEqual([0, 0, 0, 0])
  })
})
