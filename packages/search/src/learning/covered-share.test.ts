import { expect, it } from 'vitest'
import { coveredShare } from './covered-share.ts'

const none = new Set<string>()

it.each<[number[], number]>([
  [[], 0],
  [[1, 1, 1], 0],
  [[2, 5], 1],
  [[1, 3], 0.75],
])('is for tools that were used after %j queries the share %d', (counts, share) => {
  expect(coveredShare(new Map(counts.map((count, nth) => [`x:${nth}`, count])), none)).toBe(share)
})

it('does not count hidden tools', () => {
  const counts = new Map([
    ['a:seen', 1],
    ['b:hidden', 9],
  ])
  expect(coveredShare(counts, new Set(['b:hidden']))).toBe(0)
})
