import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ListName } from '../model/last-good.ts'
import { Refresher } from './refresher.ts'

const NONE: ReadonlySet<ListName> = new Set()

describe('Refresher', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const refresherOf = (answer: (lists: ReadonlySet<ListName>) => Promise<ReadonlySet<ListName>>) => {
    const asked: { at: number; lists: ListName[] }[] = []
    const start = Date.now()
    const refresher = new Refresher({
      refresh: (lists) => {
        asked.push({ at: Date.now() - start, lists: [...lists] })
        return answer(lists)
      },
      now: () => Date.now(),
      minIntervalMs: 1_000,
    })
    return { refresher, asked }
  }

  it('asks at once, then at most once an interval, for all that was wanted meanwhile', async () => {
    const { refresher, asked } = refresherOf(async () => NONE)
    refresher.want(['tools'])
    await vi.advanceTimersByTimeAsync(10)
    refresher.want(['prompts'])
    refresher.want(['tools', 'prompts'])
    await vi.advanceTimersByTimeAsync(5_000)
    expect(asked).toEqual([
      { at: 0, lists: ['tools'] },
      { at: 1_000, lists: ['prompts', 'tools'] },
    ])
  })

  it('asks again for what was wanted while it asked, as often as that happens', async () => {
    let end: (failed: ReadonlySet<ListName>) => void = () => {}
    const { refresher, asked } = refresherOf(() => new Promise((resolve) => (end = resolve)))
    refresher.want(['tools'])
    await vi.advanceTimersByTimeAsync(3_000)
    refresher.want(['tools'])
    expect(asked).toHaveLength(1)
    expect(refresher.isRefreshing).toBe(true)
    end(NONE)
    await vi.advanceTimersByTimeAsync(0)
    expect(asked).toHaveLength(2)
  })

  it('asks again for what failed, later each time, up to a minute', async () => {
    const { refresher, asked } = refresherOf(async (lists) => lists)
    refresher.want(['tools'])
    await vi.advanceTimersByTimeAsync(300_000)
    const times = asked.map(({ at }) => at)
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(gaps.slice(0, 6)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000])
    expect(Math.max(...gaps)).toBe(60_000)
  })

  it('takes a rejection for a failure of everything', async () => {
    const { refresher, asked } = refresherOf(() => Promise.reject(new Error('no')))
    refresher.want(['tools'])
    await vi.advanceTimersByTimeAsync(2_500)
    expect(asked).toHaveLength(2)
  })

  it('does not wait where the server is another one, also when the old one is still failing', async () => {
    let end: (failed: ReadonlySet<ListName>) => void = () => {}
    const { refresher, asked } = refresherOf(() => new Promise((resolve) => (end = resolve)))
    refresher.want(['tools'])
    await vi.advanceTimersByTimeAsync(0)
    refresher.wantNow(['prompts'])
    end(new Set<ListName>(['tools']))
    await vi.advanceTimersByTimeAsync(0)
    expect(asked[1]).toEqual({ at: 0, lists: ['prompts', 'tools'] })
  })

  it('asks no more once it is stopped', async () => {
    const { refresher, asked } = refresherOf(async (lists) => lists)
    refresher.want(['tools'])
    refresher.stop()
    refresher.want(['tools'])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked).toEqual([])
  })
})
