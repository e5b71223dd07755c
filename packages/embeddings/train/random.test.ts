import { describe, expect, it } from 'vitest'
import { Random } from './random.ts'

describe('Random', () => {
  it('repeats itself for the same seed and not for another', () => {
    const numbers = (seed: number) => {
      const random = new Random(seed)
      return Array.from({ length: 20 }, () => random.next())
    }
    expect(numbers(1)).toEqual(numbers(1))
    expect(numbers(1)).not.toEqual(numbers(2))
    expect(numbers(3).every((number) => number >= 0 && number < 1)).toBe(true)
  })

  it('shuffles without losing or repeating an element', () => {
    const items = Array.from({ length: 100 }, (_, nth) => nth)
    const shuffled = new Random(1).shuffled(items)
    expect(shuffled).not.toEqual(items)
    expect(shuffled.toSorted((one, other) => one - other)).toEqual(items)
  })
})
