import { describe, expect, it } from 'vitest'
import { apiWith, post, TOOLS } from '../ask.case.ts'
import { Turnstile } from './turnstile.ts'

const one = { id: 'one', project: 'a' }
const other = { id: 'other', project: 'a' }
const done = async () => 'done'

describe('Turnstile', () => {
  it('lets each caller in so many times a second, and twice as often at once', async () => {
    let now = 0
    const turnstile = new Turnstile({ requestsPerSecond: 2 }, () => now)
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

  it('answers so many at a time, and others when those are done', async () => {
    const turnstile = new Turnstile({ concurrentRequests: 1 }, () => 0)
    const first = Promise.withResolvers<string>()
    const inside = turnstile.pass(one, () => first.promise)
    await expect(turnstile.pass(other, done)).rejects.toMatchObject({ problem: { status: 429 } })
    first.reject(new Error('failed'))
    await expect(inside).rejects.toThrow('failed')
    expect(await turnstile.pass(other, done)).toBe('done')
  })

  it('is in front of the search', async () => {
    const api = apiWith({ limits: { requestsPerSecond: 0.5 }, now: () => 0 })
    const body = { query: ['file'], tools: TOOLS }
    expect((await post(api, body)).status).toBe(200)
    const { status, headers } = await post(api, body)
    expect([status, headers.get('retry-after')]).toEqual([429, '2'])
    api.close()
  })
})
