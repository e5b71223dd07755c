import { setImmediate } from 'node:timers/promises'
import { getHeapSpaceStatistics } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { boundYoungGeneration } from './young-generation.ts'

const ENOUGH = 4 * 1024 * 1024

/** What many calls do to the heap: objects that live for a while, in turns of the event loop. */
async function work(turns: number): Promise<number> {
  let kept: object[] = []
  for (let turn = 0; turn < turns; turn++) {
    const made = Array.from({ length: 2_000 }, (_, index) => ({ index, text: `${turn} ${index}` }))
    kept = [...kept.slice(-30_000), ...made]
    await setImmediate()
  }
  return kept.length
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0
}

describe('boundYoungGeneration', () => {
  it('stops the growth soon after there is enough, and lets go of it in the end', { timeout: 60_000 }, async () => {
    const before = youngBytes()
    const release = boundYoungGeneration(ENOUGH)
    await work(400)
    // A collection may double it before it is looked at.
    expect(youngBytes()).toBeLessThanOrEqual(Math.max(before, 2 * ENOUGH))
    release()
    await work(400)
    expect(youngBytes()).toBeGreaterThan(2 * ENOUGH)
  })
})
