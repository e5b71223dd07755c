import { describe, expect, it } from 'vitest'
import { fitLogistic, probability } from './logistic.ts'

const examples = (feature: number, right: number, wrong: number) =>
  Array.from({ length: right + wrong }, (_, nth) => ({ features: [1, feature, 0], isRight: nth < right, weight: 1 }))

describe('fitLogistic', () => {
  it('gives the shares of what it has seen, and no weight to what never varies', () => {
    const weights = fitLogistic([...examples(0, 100, 300), ...examples(1, 300, 100)])
    expect(probability(weights, [1, 0, 0])).toBeCloseTo(0.25, 1)
    expect(probability(weights, [1, 1, 0])).toBeCloseTo(0.75, 1)
    expect(weights[2]).toBe(0)
  })

  it('heeds the weight of an example, and gives the same for the same', () => {
    const all = [...examples(0, 1, 1), ...examples(1, 1, 1)]
    const heavy = all.map((one) => ({ ...one, weight: one.isRight ? 3 : 1 }))
    expect(probability(fitLogistic(heavy), [1, 0, 0])).toBeCloseTo(0.75, 1)
    expect(fitLogistic(heavy)).toEqual(fitLogistic(heavy))
    expect(fitLogistic([])).toEqual([])
  })
})
