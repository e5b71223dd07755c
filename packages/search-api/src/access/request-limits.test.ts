import { describe, expect, it } from 'vitest'
import { apiWith, post, TOOLS } from '../ask.case.ts'
import { RequestLimits } from './request-limits.ts'

const one = { id: 'one', project: 'a' }
const other = { id: 'other', project: 'a' }
const done = async () => 'done'

describe('RequestLimits', () => {
  it('limits the rate of each caller, with bursts of twice the rate', async () => {
    let now = 0
    const turnstile = new RequestLimits({ requestsPerSecond: 2 }, () => now)
    for (let nth = 0; nth < 4; nth++) await turnstile.pass(one, done)
    await expect(turnstile.pass(one, done)).rejects.toMatchObject({
      problem: { status: 429, code: 'TOO_MANY_REQUESTS' },
      headers: { 'retry-after': '1' },
    })
    expect(await turnstile.pass(other, done)).toBe('done')
    now = 500
    expect(await turnstile.pass(one, done)).toBe('done')
    await expect(turnstile.pass(one, done)).rejects.toThrow('2 times a second')
  })

  it('limits concurrent requests', async () => {
    const turnstile = new RequestLimits({ concurrentRequests: 1 }, () => 0)
    const first = Promise.withResolvers<string>()
    const inside = turnstile.pass(one, () => first.promise)
    await expect(turnstile.pass(other, done)).rejects.toMatchObject({ problem: { status: 429 } })
    first.reject(new Error('failed'))
    await expect(inside).rejects.toThrow('failed')
    expect(await turnstile.pass(other, done)).toBe('done')
  })

  it('applies to searches', async () => {
    const api = apiWith({ limits: { requestsPerSecond: 0.5 }, now: () => 0 })
    const body = { query: ['file'], tools: TOOLS }
    expect((await post(api, body)).status).toBe(200)
    const { status, headers } = await post(api, body)
    expect([status, headers.get('retry-after')]).toEqual([429, '2'])
    await api.close()
  })
})
