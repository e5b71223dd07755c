import { describe, expect, it } from 'vitest'
import { areaUnderCurve, calibrationError, errorByChance } from './certainty.ts'

const answers = (relevance: number, right: number, wrong: number) =>
  Array.from({ length: right + wrong }, (_, nth) => ({ relevance, isRight: nth < right }))

describe('calibrationError', () => {
  it('is 0 where relevance is the share of right answers', () => {
    expect(calibrationError([...answers(0.75, 3, 1), ...answers(0.25, 1, 3), ...answers(1, 5, 0)])).toBeCloseTo(0)
  })

  it('is the distance from it, weighted by the number of answers', () => {
    // Eight answers are .2 too sure, two are .1 too modest.
    expect(calibrationError([...answers(0.7, 4, 4), ...answers(0.9, 2, 0)])).toBeCloseTo(0.18)
  })

  it('does not let one bin make up for another, and is 0 for nothing', () => {
    expect(calibrationError([...answers(1, 0, 1), ...answers(0, 1, 0)])).toBe(1)
    expect(calibrationError([])).toBe(0)
  })
})

describe('errorByChance', () => {
  it('is the error of answers that are right as often as they say, falling with their number', () => {
    const expected = (count: number): number => errorByChance(Array.from({ length: count }, () => 0.5))
    // Of 100 tosses of a coin, half are heads, give or take 4 on average.
    expect(expected(100)).toBeCloseTo(0.04, 2)
    expect(expected(400)).toBeCloseTo(expected(100) / 2)
    expect(errorByChance([0, 1, 1])).toBe(0)
    expect(errorByChance([])).toBe(0)
  })
})

describe('areaUnderCurve', () => {
  it('is the chance of being above, ties half', () => {
    expect(areaUnderCurve([0.9, 0.5], [0.1, 0.5])).toBe(0.875)
    expect(areaUnderCurve([0.2], [0.8])).toBe(0)
    expect(areaUnderCurve([0.2], [])).toBe(0)
  })
})
