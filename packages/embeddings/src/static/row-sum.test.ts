import fc from 'fast-check'
import { expect, it } from 'vitest'
import { UNKNOWN_PIECE } from '../wordpiece/word-piece.ts'
import { RowSum } from './row-sum.ts'
import type { Table } from './table.ts'

const PIECES = 9
const DIMENSIONS = 7

const table: fc.Arbitrary<Table> = fc
  .record({
    rows: fc.int8Array({ minLength: PIECES * DIMENSIONS, maxLength: PIECES * DIMENSIONS }),
    scales: fc.float32Array({ minLength: PIECES, maxLength: PIECES, min: 0, max: 1, noNaN: true }),
  })
  .map((numbers) => ({ id: 'any', dimensions: DIMENSIONS, vocabulary: new Uint16Array(), ...numbers }))

const pieces = fc.array(fc.integer({ min: UNKNOWN_PIECE, max: PIECES - 1 }), { maxLength: 40 })

it('equals the formula, piece by piece, independent of earlier sums', () => {
  fc.assert(
    fc.property(table, fc.array(pieces, { minLength: 1, maxLength: 4 }), (numbers, texts) => {
      const sum = new RowSum(numbers)
      for (const text of texts) {
        const expected = slowly(numbers, text)
        for (const [nth, value] of sum.of(text).entries()) expect(value).toBeCloseTo(expected[nth] ?? 0, 5)
      }
    }),
  )
})

/** Each piece n times counts 1 + ln n; the sum is brought to length 1. */
function slowly({ rows, scales }: Table, text: readonly number[]): number[] {
  const sum = Array.from({ length: DIMENSIONS }, () => 0)
  for (const piece of new Set(text)) {
    if (piece === UNKNOWN_PIECE) continue
    const times = text.filter((one) => one === piece).length
    const weight = (scales[piece] ?? 0) * (1 + Math.log(times))
    for (let nth = 0; nth < DIMENSIONS; nth++)
      sum[nth] = (sum[nth] ?? 0) + weight * (rows[piece * DIMENSIONS + nth] ?? 0)
  }
  const length = Math.hypot(...sum)
  return length === 0 ? sum : sum.map((value) => value / length)
}
