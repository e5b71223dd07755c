import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FORM, YES, begun, identity, parked, roundOf } from './parked-calls.case.ts'
import { ParkedCalls } from './parked-calls.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('A parked call that another caller waits for', () => {
  const past = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  it('ends half a minute after its question, and its client has to call again', async () => {
    const calls = new ParkedCalls()
    const { ask, first, isCancelled } = begun(calls, { isAwaited: () => true })
    const answer = ask(FORM)
    const { requestState } = await parked(first)
    await past(28_000)
    expect(isCancelled()).toBe(false)
    await past(3_000)
    expect(isCancelled()).toBe(true)
    expect(calls.proceed(requestState, identity(), roundOf(), { q1: YES })).toBeUndefined()
    expect([calls.size, vi.getTimerCount()]).toEqual([0, 0])
    void answer
  })

  it('ends within a second of the other caller if its own half minute is over, by any clock', async () => {
    let now = 0
    let isAwaited = false
    const calls = new ParkedCalls(undefined, () => now)
    const { ask, first, isCancelled } = begun(calls, { isAwaited: () => isAwaited })
    void ask(FORM)
    await parked(first)
    now = 29_999
    isAwaited = true
    await past(1_000)
    expect(isCancelled()).toBe(false)
    now = 30_000
    await past(1_000)
    expect(isCancelled()).toBe(true)
  })

  it('is kept for its whole time if nothing waits, and while its client is being served', async () => {
    let isAwaited = false
    const calls = new ParkedCalls()
    const { ask, first, isCancelled } = begun(calls, { isAwaited: () => isAwaited })
    void ask(FORM)
    const { requestState } = await parked(first)
    await past(40_000)
    expect(isCancelled()).toBe(false)
    void calls.proceed(requestState, identity(), roundOf(), { q1: YES })
    isAwaited = true
    await past(10_000)
    expect(isCancelled()).toBe(false)
  })
})

describe('A parking place', () => {
  const asked = async (calls: ParkedCalls, tokenId: string) => {
    const call = begun(calls, { who: identity({ tokenId }) })
    const answer = call.ask(FORM).catch((error: Error) => error.message)
    await vi.advanceTimersByTimeAsync(50)
    return { ...call, answer }
  }

  it('that other tokens occupy is free for a new call after half a minute: the longest parked call ends', async () => {
    const calls = new ParkedCalls({ perToken: 16, total: 2 })
    const oldest = await asked(calls, 'a')
    await vi.advanceTimersByTimeAsync(20_000)
    const younger = await asked(calls, 'b')
    expect(await (await asked(calls, 'c')).answer).toContain('too many calls wait for answers')
    await vi.advanceTimersByTimeAsync(10_000)
    const next = await asked(calls, 'c')
    expect(await next.first).toMatchObject({ resultType: 'input_required' })
    expect([oldest.isCancelled(), younger.isCancelled(), next.isCancelled()]).toEqual([true, false, false])
  })

  it('that the same token occupies costs no other token its place', async () => {
    const calls = new ParkedCalls({ perToken: 1, total: 16 })
    const other = await asked(calls, 'a')
    const own = await asked(calls, 'b')
    await vi.advanceTimersByTimeAsync(31_000)
    await asked(calls, 'b')
    expect([other.isCancelled(), own.isCancelled()]).toEqual([false, true])
  })
})
