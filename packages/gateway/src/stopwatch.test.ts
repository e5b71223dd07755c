import { describe, expect, it } from 'vitest'
import { Stopwatch } from './stopwatch.ts'

describe('a stopwatch', () => {
  it('says when something began by the clock of the system, and how long ago that is whatever happens to that clock', () => {
    let time = 5_000
    const watch = new Stopwatch(() => (time -= 1_000))
    expect(watch.startedAt).toBe(4_000)
    const first = watch.ms
    expect(first).toBeGreaterThanOrEqual(0)
    expect(watch.ms).toBeGreaterThanOrEqual(first)
    expect(watch.startedAt).toBe(4_000)
  })
})
