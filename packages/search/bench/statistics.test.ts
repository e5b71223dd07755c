import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { percentile } from './statistics.ts'

describe('percentile', () => {
  it('takes the nearest rank, in any order of the values', () => {
    const values = [5, 1, 4, 2, 3, 10, 9, 8, 7, 6]
    expect(percentile(values, 50)).toBe(5)
    expect(percentile(values, 99)).toBe(10)
    expect(percentile(values, 90)).toBe(9)
    expect(percentile(values, 0)).toBe(1)
  })

  it('sorts by number, not by text', () => {
    expect(percentile([10, 9, 100], 50)).toBe(10)
  })

  it('has no answer for no values', () => {
    expect(percentile([], 50)).toBeNaN()
  })

  it('is a value that the asked share does not exceed', () => {
    const values = fc.array(fc.double({ noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 100 }), (all, percent) => {
        const bound = percentile(all, percent)
        const share = all.filter((value) => value <= bound).length / all.length
        expect(all).toContain(bound)
        expect(share * 100).toBeGreaterThanOrEqual(percent - 1e-9)
      }),
    )
  })
})
