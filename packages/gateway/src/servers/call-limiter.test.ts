import { describe, expect, it } from 'vitest'
import { CallLimiter } from './call-limiter.ts'
import { failure } from './fixtures/pool.case.ts'

const label = { id: 's', name: 'cheese' }

/** Work that ends when it is told to. */
function work() {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { run: () => promise, end: () => resolve('done') }
}

describe('CallLimiter', () => {
  it('runs so many at a time and lets the rest wait in order', async () => {
    const limiter = new CallLimiter(label, 2)
    const works = Array.from({ length: 5 }, work)
    const begun: number[] = []
    const all = works.map(({ run }, n) => limiter.run(() => (begun.push(n), run())))
    expect(begun).toEqual([0, 1])
    works[1]?.end()
    await all[1]
    await Promise.resolve()
    expect(begun).toEqual([0, 1, 2])
    for (const { end } of works) end()
    await Promise.all(all)
    expect(begun).toEqual([0, 1, 2, 3, 4])
  })

  it('turns away at once what would have to wait too long', async () => {
    const limiter = new CallLimiter(label, 1, 1)
    const first = work()
    const running = limiter.run(first.run)
    const waiting = limiter.run(async () => 'second')
    expect(await failure(limiter.run(async () => 'third'))).toMatchObject({ code: 'SERVER_BUSY' })
    first.end()
    expect(await Promise.all([running, waiting])).toEqual(['done', 'second'])
  })

  it('gives the place of a waiting caller that left to the next', async () => {
    const limiter = new CallLimiter(label, 1)
    const first = work()
    const running = limiter.run(first.run)
    const leaving = new AbortController()
    const left = failure(limiter.run(async () => 'never', leaving.signal))
    const next = limiter.run(async () => 'next')
    leaving.abort()
    expect(await left).toMatchObject({ code: 'CALL_CANCELLED' })
    first.end()
    expect(await next).toBe('next')
    await running
  })

  it('frees the place of work that failed', async () => {
    const limiter = new CallLimiter(label, 1)
    await failure(limiter.run(() => Promise.reject(new Error('broken'))))
    expect(await limiter.run(async () => 'next')).toBe('next')
  })
})
