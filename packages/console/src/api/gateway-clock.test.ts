import { afterEach, expect, it } from 'vitest'
import { compareClocks, gatewayNow } from './gateway-clock.ts'

const HOUR_MS = 3_600_000
const headerOf = (at: number): string => new Date(at).toUTCString()

afterEach(() => compareClocks(headerOf(Date.now())))

it.each([3 * HOUR_MS, -3 * HOUR_MS])('follows the clock of a gateway that differs by %d ms', (difference) => {
  compareClocks(headerOf(Date.now() + difference))
  expect(Math.abs(gatewayNow() - Date.now() - difference)).toBeLessThan(60_000)
})

it('ignores a difference that a slow network can cause, and an answer without a date', () => {
  compareClocks(headerOf(Date.now() - 20_000))
  expect(gatewayNow() - Date.now()).toBeLessThan(1_000)
  compareClocks(headerOf(Date.now() + HOUR_MS))
  compareClocks(null)
  expect(gatewayNow() - Date.now()).toBeGreaterThan(HOUR_MS - 60_000)
})
