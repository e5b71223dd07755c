import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Coalescer } from './coalescer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('reports 5,000 equal events once, and those of a second at most ten times', () => {
  const passed: string[] = []
  const news = new Coalescer<string>(100, (each) => passed.push(each))
  for (let n = 0; n < 5_000; n++) news.add('tools')
  vi.advanceTimersByTime(100)
  expect(passed).toEqual(['tools'])
  for (let ms = 0; ms < 1_000; ms++) {
    news.add('tools')
    vi.advanceTimersByTime(1)
  }
  expect(passed.length).toBeLessThanOrEqual(1 + 10)
})

it('never loses the last, keeps different events apart, and reports none once cleared', () => {
  const passed: string[] = []
  const news = new Coalescer<string>(100, (each) => passed.push(each))
  news.add('tools')
  news.add('prompts')
  vi.advanceTimersByTime(100)
  news.add('tools')
  vi.advanceTimersByTime(100)
  expect(passed).toEqual(['tools', 'prompts', 'tools'])
  news.add('prompts')
  news.clear()
  vi.advanceTimersByTime(1_000)
  expect(passed).toHaveLength(3)
})
