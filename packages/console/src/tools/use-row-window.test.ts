import fc from 'fast-check'
import { expect, it } from 'vitest'
import { windowAt } from './use-row-window.ts'

const sizes = fc.record({
  top: fc.nat(10_000_000),
  height: fc.integer({ min: 1, max: 3_000 }),
  row: fc.integer({ min: 20, max: 90 }),
})

it('contains every visible row, and spare rows on either side', () => {
  fc.assert(
    fc.property(sizes, ({ top, height, row }) => {
      const { from, to } = windowAt(top, height, row)
      expect(from).toBeLessThanOrEqual(Math.max(0, Math.floor(top / row) - 8))
      expect(to).toBeGreaterThanOrEqual(Math.ceil((top + height) / row) + 8)
    }),
  )
})

it('stays the same over a few rows, and small at every position', () => {
  expect(windowAt(6_250, 590, 60)).toEqual(windowAt(6_430, 590, 60))
  fc.assert(
    fc.property(sizes, ({ top, height, row }) => {
      const { from, to } = windowAt(top, height, row)
      expect(to - from).toBeLessThanOrEqual(Math.ceil(height / row) + 1 + 2 * 8 + 6)
    }),
  )
})
