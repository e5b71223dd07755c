import { describe, expect, it } from 'vitest'
import { CallLimiter } from './call-limiter.ts'
import { failure } from '../fixtures/pool.case.ts'

const label = { id: 's', name: 'cheese' }

/** Work that the test ends. */
function work() {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { run: () => promise, end: () => resolve('done') }
}

async function run<T>(limiter: CallLimiter, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const turn = limiter.enter(signal)
  if (turn !== undefined) await turn
  try {
    return await task()
  } finally {
    limiter.leave()
  }
}

describe('CallLimiter', () => {
  it('runs so many at a time and lets the rest wait in order', async () => {
    const limiter = new CallLimiter(label, 2)
    const works = Array.from({ length: 5 }, work)
    const begun: number[] = []
    const all = works.map((each, n) => run(limiter, () => (begun.push(n), each.run())))
    expect(begun).toEqual([0, 1])
    works[1]?.end()
    await all[1]
    await Promise.resolve()
    expect(begun).toEqual([0, 1, 2])
    for (const { end } of works) end()
    await Promise.all(all)
    expect(begun).toEqual([0, 1, 2, 3, 4])
  })

  it('refuses at once what would have to wait too long', async () => {
    const limiter = new CallLimiter(label, 1, 1)
    const first = work()
    const running = run(limiter, first.run)
    const waiting = run(limiter, async () => 'second')
    expect(await failure(run(limiter, async () => 'third'))).toMatchObject({ code: 'SERVER_BUSY' })
    first.end()
    expect(await Promise.all([running, waiting])).toEqual(['done', 'second'])
  })

  it('gives the place of a waiting caller that left to the next', async () => {
    const limiter = new CallLimiter(label, 1)
    const first = work()
    const running = run(limiter, first.run)
    const leaving = new AbortController()
    const left = failure(run(limiter, async () => 'never', leaving.signal))
    const next = run(limiter, async () => 'next')
    leaving.abort()
    expect(await left).toMatchObject({ code: 'CALL_CANCELLED' })
    first.end()
    expect(await next).toBe('next')
    await running
  })

  it('frees the place of work that failed', async () => {
    const limiter = new CallLimiter(label, 1)
    await failure(run(limiter, () => Promise.reject(new Error('broken'))))
    expect(await run(limiter, async () => 'next')).toBe('next')
  })
})
