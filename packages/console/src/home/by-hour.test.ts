import { expect, it } from 'vitest'
import { byHour } from './by-hour.ts'

const HOUR = 3_600_000

it('has an entry for every hour of the last day, the current one last', () => {
  const now = 100 * HOUR + 5
  const hours = byHour([{ from: 99 * HOUR + 100, searches: 2, calls: 3, errors: 1 }], now)
  expect(hours).toHaveLength(24)
  expect(hours.at(-1)).toEqual({ from: 100 * HOUR, searches: 0, calls: 0, errors: 0 })
  expect(hours.at(-2)).toEqual({ from: 99 * HOUR, searches: 2, calls: 3, errors: 1 })
})
