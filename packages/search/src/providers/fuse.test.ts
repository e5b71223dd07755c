import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FoundTool, fuseRankings } from './fuse.ts'

const found = (id: string, relevance: number): FoundTool => ({ id, score: relevance, relevance })
const idsOf = (tools: readonly FoundTool[]) => tools.map((tool) => tool.id)

const ranking = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...'abcdefgh'), fc.integer({ min: 1, max: 8 })), { selector: ([id]) => id })
  .map((rows) => rows.map(([id, eighths]) => found(id, eighths / 8)))

describe('fuseRankings', () => {
  it('leaves a single ranking as it is, only in order', () => {
    const tools = [found('b', 0.2), found('a', 0.9)]
    expect(fuseRankings([tools], 10)).toEqual([found('a', 0.9), found('b', 0.2)])
  })

  it('[R14] puts the best tool of a weak intent before the second of a strong one', () => {
    const strong = [found('a', 1), found('b', 0.9), found('c', 0.8)]
    const weak = [found('z', 0.1)]
    expect(idsOf(fuseRankings([strong, weak], 10))).toEqual(['a', 'z', 'b', 'c'])
  })

  it('[R14] does not let a tool that is second for both push out the best of either', () => {
    const fused = fuseRankings(
      [
        [found('a', 0.9), found('m', 0.5)],
        [found('b', 0.9), found('m', 0.5)],
      ],
      2,
    )
    expect(idsOf(fused)).toEqual(['a', 'b'])
  })

  it('gives a tool its highest relevance, even from further down than is asked for', () => {
    const rankings = [[found('a', 0.3)], [found('b', 1), found('c', 0.9), found('a', 0.8)]]
    expect(fuseRankings(rankings, 2)).toMatchObject([
      { id: 'b', relevance: 1 },
      { id: 'a', relevance: 0.8 },
    ])
  })

  it('begins a longer answer with the shorter one, in any order of queries and tools', () => {
    fc.assert(
      fc.property(fc.array(ranking, { maxLength: 4 }), fc.nat(8), (rankings, limit) => {
        const whole = fuseRankings(rankings, 100)
        expect(fuseRankings(rankings, limit)).toEqual(whole.slice(0, limit))
        expect(fuseRankings(rankings.map((tools) => tools.toReversed()).toReversed(), 100)).toEqual(whole)
      }),
    )
  })

  it('keeps the best of every query in the first places', () => {
    fc.assert(
      fc.property(fc.array(ranking, { minLength: 1, maxLength: 4 }), (rankings) => {
        const first = idsOf(fuseRankings(rankings, rankings.length))
        for (const tools of rankings) {
          const best = idsOf(fuseRankings([tools], 1))[0]
          if (best !== undefined) expect(first).toContain(best)
        }
      }),
    )
  })
})
