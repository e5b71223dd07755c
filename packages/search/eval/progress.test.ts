import { describe, expect, it } from 'vitest'
import { Progress } from './progress.ts'

function progressAt(times: readonly number[], isTTY: boolean): string[] {
  const written: string[] = []
  let now = 0
  const progress = new Progress({ isTTY, write: (text) => written.push(text) }, () => now)
  for (const time of times) {
    now = time
    progress.step('set · ranker', time, 9_000)
  }
  progress.end()
  return written
}

describe('Progress', () => {
  it('writes nothing for less than a second', () => expect(progressAt([10, 900], true)).toEqual([]))

  it('writes a whole line every five seconds at most', () => {
    expect(progressAt([1_100, 3_000, 6_200], false)).toEqual([
      'set · ranker  1100 of 9000 queries\n',
      'set · ranker  6200 of 9000 queries\n',
    ])
  })

  it('rewrites the line of a terminal and clears it at the end', () => {
    const written = progressAt([1_100, 1_250], true)
    expect(written).toHaveLength(3)
    expect(written.at(-1)).toBe('\r\x1b[K')
  })
})
