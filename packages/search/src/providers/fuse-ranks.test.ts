import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byRank, topRanked } from './fuse.ts'

describe('topRanked', () => {
  it('puts the higher score first and ties in code-unit order of the id', () => {
    const items = ['b', 'é', 'a', 'B'].map((id) => ({ id, score: 1 }))
    expect(topRanked([...items, { id: 'z', score: 2 }], 9).map((item) => item.id)).toEqual(['z', 'B', 'a', 'b', 'é'])
  })

  it('takes the same as sorting everything', () => {
    const item = fc.record({ id: fc.string({ maxLength: 2 }), score: fc.integer({ min: 0, max: 4 }) })
    fc.assert(
      fc.property(fc.uniqueArray(item, { selector: ({ id }) => id, maxLength: 60 }), fc.nat(20), (items, limit) => {
        expect(topRanked(items, limit)).toEqual([...items].sort(byRank).slice(0, limit))
      }),
    )
  })

  it.each([
    [0, 0],
    [-1, 0],
    [Number.NaN, 0],
    [1.9, 1],
    [Number.POSITIVE_INFINITY, 2],
  ])('reads a limit of %s as %s', (limit, length) => {
    const items = [
      { id: 'a', score: 1 },
      { id: 'b', score: 2 },
    ]
    expect(topRanked(items, limit)).toHaveLength(length)
  })
})
