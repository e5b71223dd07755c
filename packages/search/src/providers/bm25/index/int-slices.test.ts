import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IntSlices } from './int-slices.ts'

const operation = fc.record({
  number: fc.nat({ max: 5 }),
  length: fc.option(fc.oneof(fc.nat({ max: 5 }), fc.integer({ min: 10_000, max: 30_000 })), { freq: 4 }),
})

describe('IntSlices', () => {
  it('gives back every list as it was last written, also after lists moved together', () => {
    fc.assert(
      fc.property(fc.array(operation, { minLength: 10, maxLength: 40, size: 'max' }), (operations) => {
        const slices = new IntSlices()
        const model = new Map<number, Int32Array>()
        for (const [step, { number, length }] of operations.entries()) {
          if (length === null) {
            slices.delete(number)
            model.delete(number)
          } else {
            // One item more than is written: only the first `length` of the source count.
            const source = new Int32Array(length + 1).fill(step + 1)
            slices.set(number, source, length)
            model.set(number, source.subarray(0, length))
          }
        }
        for (let number = 0; number <= 5; number++) {
          expect(isSame(slices.get(number), model.get(number) ?? new Int32Array(0))).toBe(true)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('takes no more room when lists are written again and again', () => {
    const slices = new IntSlices()
    const list = new Int32Array(1000).fill(7)
    for (let round = 0; round < 2000; round++) slices.set(round % 3, list, list.length)
    expect(slices.items.length).toBeLessThan(200_000)
    expect([0, 1, 2].every((number) => isSame(slices.get(number), list))).toBe(true)
  })

  it('has an empty list for a number that was never written', () => {
    expect(new IntSlices().get(1000).length).toBe(0)
  })
})

/** Item by item is too slow for the test runner's own comparison. */
function isSame(a: Int32Array, b: Int32Array): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}
