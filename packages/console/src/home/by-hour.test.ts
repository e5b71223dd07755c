import fc from 'fast-check'
import { expect, it } from 'vitest'
import { byHour, scaleTop } from './by-hour.ts'

const HOUR = 3_600_000

it('has an entry for each of the last 24 hours, the current one last', () => {
  const now = 100 * HOUR + 5
  const hours = byHour([{ from: 99 * HOUR + 100, searches: 2, calls: 3, errors: 1 }], now)
  expect(hours).toHaveLength(24)
  expect(hours.at(-1)).toEqual({ from: 100 * HOUR, searches: 0, calls: 0, errors: 0 })
  expect(hours.at(-2)).toEqual({ from: 99 * HOUR, searches: 2, calls: 3, errors: 1 })
})

it('scales a chart to a round number above its highest bar', () => {
  expect([0, 1, 4, 5, 7, 11, 19, 230, 999].map(scaleTop)).toEqual([4, 4, 4, 6, 8, 12, 20, 240, 1_000])
  fc.assert(
    fc.property(fc.nat(1_000_000), (most) => {
      const top = scaleTop(most)
      expect(top).toBeGreaterThanOrEqual(most)
      expect(top % 2).toBe(0)
      expect(top).toBeLessThanOrEqual(Math.max(4, 2 * most))
    }),
  )
})
