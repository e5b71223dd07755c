import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Figures, meanFigures, measure, median } from './metrics.ts'

const judge = (...relevant: string[]) => ({ relevant: new Set(relevant) })

describe('measure', () => {
  it('is worth nothing without a hit', () => {
    const nothing = { hit1: 0, recall5: 0, recall10: 0, ndcg10: 0, mrr: 0 }
    expect(measure([], judge('a'))).toEqual(nothing)
    expect(measure(['x', 'y'], judge('a'))).toEqual(nothing)
  })

  it('agrees with a case computed by hand', () => {
    // Relevant at places 2 and 6: gains 1/log2(3) + 1/log2(7), ideal 1 + 1/log2(3).
    const figures = measure(['x', 'a', 'y', 'z', 'u', 'b'], judge('a', 'b'))
    expect(figures).toMatchObject({ hit1: 0, recall5: 0.5, recall10: 1, mrr: 0.5 })
    expect(figures.ndcg10).toBeCloseTo((0.63093 + 0.356207) / 1.63093, 5)
  })

  it('takes grades as gains where there are any', () => {
    // The better tool second: 1 + 2/log2(3) of 2 + 1/log2(3).
    const grades = new Map([
      ['best', 2],
      ['fair', 1],
      ['wrong', 0],
    ])
    const figures = measure(['fair', 'best', 'wrong'], { relevant: new Set(['best', 'fair']), grades })
    expect(figures.ndcg10).toBeCloseTo((1 + 1.26186) / 2.63093, 5)
    expect(figures.hit1).toBe(1)
  })

  it('limits the ideal to the ten places there are', () => {
    const relevant = Array.from({ length: 12 }, (_, i) => `t${i}`)
    const figures = measure(relevant.slice(0, 10), judge(...relevant))
    expect(figures.ndcg10).toBe(1)
    expect(figures.recall5).toBeCloseTo(5 / 12)
    expect(figures.recall10).toBeCloseTo(10 / 12)
  })

  it('counts a repeated id once', () => {
    expect(measure(['a', 'a', 'a'], judge('a', 'b')).recall5).toBe(0.5)
  })

  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '__proto__', 'constructor')
  const judgement = fc.record({
    relevant: fc.uniqueArray(id, { minLength: 1 }).map((ids) => new Set(ids)),
    grades: fc.option(
      fc.array(fc.tuple(id, fc.nat(3))).map((entries) => new Map(entries)),
      { nil: undefined },
    ),
  })

  it('stays within 0 and 1', () => {
    fc.assert(
      fc.property(fc.array(id), judgement, (ranking, { relevant, grades }) => {
        const figures = measure(ranking, { relevant, ...(grades !== undefined && { grades }) })
        for (const value of Object.values(figures)) expect(value >= 0 && value <= 1).toBe(true)
      }),
    )
  })

  it('gives a perfect ranking 1 throughout', () => {
    const graded = fc.uniqueArray(fc.tuple(id, fc.integer({ min: 1, max: 3 })), {
      minLength: 1,
      maxLength: 5,
      selector: ([name]) => name,
    })
    fc.assert(
      fc.property(graded, fc.array(fc.constantFrom('x', 'y')), (entries, others) => {
        const best = entries.toSorted(([, a], [, b]) => b - a).map(([name]) => name)
        const figures = measure([...best, ...others], { relevant: new Set(best), grades: new Map(entries) })
        expect(figures).toEqual({ hit1: 1, recall5: 1, recall10: 1, ndcg10: 1, mrr: 1 })
      }),
    )
  })
})

describe('meanFigures', () => {
  const all = (value: number): Figures => ({ hit1: value, recall5: value, recall10: value, ndcg10: value, mrr: value })

  it('averages each figure', () => expect(meanFigures([all(0), all(1), all(0.5)])).toEqual(all(0.5)))
  it('is zero for nothing', () => expect(meanFigures([])).toEqual(all(0)))
})

describe('median', () => {
  it('is the middle value', () => expect(median([9, 1, 5])).toBe(5))
  it('is the mean of the two middle values', () => expect(median([4, 1, 2, 9])).toBe(3))
  it('is zero for nothing', () => expect(median([])).toBe(0))
})
