import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CallLimiter, type CallLimits, type EnteringCall } from './call-limiter.ts'
import { failure } from '../fixtures/pool.case.ts'

const label = { id: 's', name: 'cheese' }
const limiterOf = (maxRunning: number, more: Partial<CallLimits> = {}) =>
  new CallLimiter(label, { maxRunning: () => maxRunning, maxWaitMs: 60_000, ...more })

/** Work that the test ends. */
function work() {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { run: () => promise, end: () => resolve('done') }
}

async function run<T>(limiter: CallLimiter, task: () => Promise<T>, call?: EnteringCall): Promise<T> {
  const turn = limiter.enter(call)
  if (turn !== undefined) await turn
  try {
    return await task()
  } finally {
    limiter.leave()
  }
}

describe('CallLimiter', () => {
  it('runs so many at a time and lets the rest wait in order', async () => {
    const limiter = limiterOf(2)
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

  it('lets as many wait as there are, and serves them all', async () => {
    const limiter = limiterOf(64)
    const all = Array.from({ length: 5_000 }, (_, n) => run(limiter, async () => n, { caller: `c${n % 1_000}` }))
    expect(await Promise.all(all)).toHaveLength(5_000)
    expect(limiter.hasWaiting).toBe(false)
  })

  it('gives callers turns, so that many calls of one do not delay another', async () => {
    const limiter = limiterOf(1)
    const first = work()
    const begun: string[] = []
    const call = (name: string, caller: string) => run(limiter, async () => void begun.push(name), { caller })
    const running = run(limiter, first.run)
    const waiting = [...['a1', 'a2', 'a3'].map((name) => call(name, 'a')), call('b1', 'b'), call('c1', 'c')]
    first.end()
    await Promise.all([running, ...waiting])
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
  })

  it('refuses at once what would take more memory than is set aside', async () => {
    const limiter = limiterOf(1, { maxWaiting: 2, maxWaitingBytes: 100 })
    const first = work()
    const running = run(limiter, first.run)
    const waiting = run(limiter, async () => 'second', { bytes: () => 60 })
    expect(await failure(run(limiter, async () => 'large', { bytes: () => 60 }))).toMatchObject({ code: 'SERVER_BUSY' })
    const small = run(limiter, async () => 'small', { bytes: () => 40 })
    const tooMany = failure(run(limiter, async () => 'third'))
    expect(await tooMany).toMatchObject({ code: 'SERVER_BUSY', details: { retryAfter: 60 } })
    first.end()
    expect(await Promise.all([running, waiting, small])).toEqual(['done', 'second', 'small'])
    const again = run(limiter, async () => 'again', { bytes: () => 100 })
    expect(await again).toBe('again')
  })

  it('gives the place of a waiting caller that left to the next', async () => {
    const limiter = limiterOf(1)
    const first = work()
    const running = run(limiter, first.run)
    const leaving = new AbortController()
    const left = failure(run(limiter, async () => 'never', { signal: leaving.signal }))
    const next = run(limiter, async () => 'next')
    leaving.abort()
    expect(await left).toMatchObject({ code: 'CALL_CANCELLED' })
    first.end()
    expect(await next).toBe('next')
    await running
  })

  it('follows a limit that changes, up and down', async () => {
    let most = 1
    const limiter = limiterOf(0, { maxRunning: () => most })
    const works = Array.from({ length: 6 }, work)
    const begun: number[] = []
    const all = works.map((each, n) => run(limiter, () => (begun.push(n), each.run())))
    most = 3
    limiter.admit()
    await Promise.resolve()
    expect([begun, limiter.running]).toEqual([[0, 1, 2], 3])
    most = 1
    for (const at of [0, 1]) {
      works[at]?.end()
      await all[at]
    }
    expect([begun, limiter.running]).toEqual([[0, 1, 2], 1])
    for (const { end } of works) end()
    await Promise.all(all)
    expect([begun, limiter.running]).toEqual([[0, 1, 2, 3, 4, 5], 0])
  })

  it('frees the place of work that failed', async () => {
    const limiter = limiterOf(1)
    await failure(run(limiter, () => Promise.reject(new Error('broken'))))
    expect(await run(limiter, async () => 'next')).toBe('next')
  })

  it('never runs more than it may, loses no slot, and answers every call once', async () => {
    const step = fc.record({ caller: fc.constantFrom('a', 'b', 'c'), isLeaving: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), async (steps, most) => {
        const limiter = limiterOf(most)
        let [running, highest, answered] = [0, 0, 0]
        const task = async (): Promise<void> => {
          highest = Math.max(highest, ++running)
          await Promise.resolve()
          running--
        }
        const leaving = new AbortController()
        const all = steps.map(({ caller, isLeaving }) =>
          run(limiter, task, { caller, signal: isLeaving ? leaving.signal : undefined }).finally(() => answered++),
        )
        leaving.abort()
        await Promise.allSettled(all)
        expect([highest <= most, answered, running, limiter.hasWaiting]).toEqual([true, steps.length, 0, false])
        expect(limiter.enter()).toBeUndefined()
      }),
    )
  })
})

describe('A call without a turn', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('fails at its deadline and not before, with the seconds after which to try again', async () => {
    const limiter = limiterOf(1, { maxWaitMs: 5_000 })
    const [first, second] = [work(), work()]
    const running = run(limiter, first.run)
    const next = run(limiter, second.run)
    vi.advanceTimersByTime(2_500)
    first.end()
    await running
    let outcome = 'waits'
    const late = failure(run(limiter, async () => 'late')).then((error) => ((outcome = error.code), error))
    vi.advanceTimersByTime(4_999)
    await Promise.resolve()
    expect(outcome).toBe('waits')
    vi.advanceTimersByTime(1)
    expect(await late).toMatchObject({ code: 'SERVER_BUSY', details: { server: 'cheese', retryAfter: 3 } })
    second.end()
    expect(await next).toBe('done')
    expect(await run(limiter, async () => 'free')).toBe('free')
  })
})
