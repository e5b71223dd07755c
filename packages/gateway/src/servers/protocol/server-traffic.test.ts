import { expect, it } from 'vitest'
import { SERVER_LIMITS } from './server-limits.ts'
import { ServerTraffic } from './server-traffic.ts'

it('refuses requests beyond the rate, takes them again later, and remarks on it once', () => {
  let now = 0
  const traffic = new ServerTraffic(() => now)
  const taken = (): number =>
    Array.from({ length: 1_000 }, () => traffic.refusal({})).filter((it) => it === undefined).length
  expect(taken()).toBe(3 * SERVER_LIMITS.requestsPerSecond)
  now = 1_000
  expect(taken()).toBe(SERVER_LIMITS.requestsPerSecond)
  expect(traffic.remarks).toEqual(['It sends more than 30 requests a second. The others are refused.'])
})

it('drops notifications beyond the rate, and large ones', () => {
  const traffic = new ServerTraffic(() => 0)
  expect(traffic.mayNotify({ data: 'x'.repeat(1_000_000) })).toBe(false)
  const passed = Array.from({ length: 5_000 }, () => traffic.mayNotify({})).filter(Boolean).length
  expect(passed).toBe(3 * SERVER_LIMITS.notificationsPerSecond - 1)
  expect(traffic.remarks).toHaveLength(2)
})

it('answers a limited number of requests at once', async () => {
  const traffic = new ServerTraffic(() => 0)
  const { promise, resolve } = Promise.withResolvers<string>()
  const open = Array.from({ length: SERVER_LIMITS.openRequests }, () => traffic.answering(() => promise))
  expect(traffic.answering(() => promise)).toBeUndefined()
  resolve('done')
  expect(new Set(await Promise.all(open.map((each) => Promise.resolve(each))))).toEqual(new Set(['done']))
  expect(await traffic.answering(() => promise)).toBe('done')
})
