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

  it('refreshes at once, then at most once per interval, for all pending lists', async () => {
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

  it('refreshes again for lists that were requested during a refresh', async () => {
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

  it('retries failed lists with growing delays of up to a minute', async () => {
    const { refresher, asked } = refresherOf(async (lists) => lists)
    refresher.want(['tools'])
    await vi.advanceTimersByTimeAsync(300_000)
    const times = asked.map(({ at }) => at)
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(gaps.slice(0, 6)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000])
    expect(Math.max(...gaps)).toBe(60_000)
  })

  it('treats a rejection as a failure of all lists', async () => {
    const { refresher, asked } = refresherOf(() => Promise.reject(new Error('no')))
    refresher.want(['tools'])
    await vi.advanceTimersByTimeAsync(2_500)
    expect(asked).toHaveLength(2)
  })

  it('does not wait after a restart of the server, also while the previous refresh is failing', async () => {
    let end: (failed: ReadonlySet<ListName>) => void = () => {}
    const { refresher, asked } = refresherOf(() => new Promise((resolve) => (end = resolve)))
    refresher.want(['tools'])
    await vi.advanceTimersByTimeAsync(0)
    refresher.wantNow(['prompts'])
    end(new Set<ListName>(['tools']))
    await vi.advanceTimersByTimeAsync(0)
    expect(asked[1]).toEqual({ at: 0, lists: ['prompts', 'tools'] })
  })

  it('does not refresh after stop', async () => {
    const { refresher, asked } = refresherOf(async (lists) => lists)
    refresher.want(['tools'])
    refresher.stop()
    refresher.want(['tools'])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(asked).toEqual([])
  })
})
