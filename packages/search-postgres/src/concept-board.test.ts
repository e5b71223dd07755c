import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConceptBoard } from './concept-board.ts'

const additions = fc.array(fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 100 }))))

describe('ConceptBoard', () => {
  it('pays a number for the best member of each concept', () => {
    fc.assert(
      fc.property(additions, (concepts) => {
        const board = new ConceptBoard()
        const expected = new Map<number, number>()
        for (const members of concepts) {
          board.nextConcept()
          for (const [number, score] of members) board.add(number, score)
          for (const [number, all] of Map.groupBy(members, ([each]) => each)) {
            expected.set(number, (expected.get(number) ?? 0) + Math.max(...all.map(([, score]) => score)))
          }
        }
        for (let number = 1; number < 10; number++) expect(board.scoreOf(number)).toBe(expected.get(number) ?? 0)
        const best = board.best()
        const top = best === undefined ? undefined : board.scores[best]
        expect(top).toBe(expected.size === 0 ? undefined : Math.max(...expected.values()))
      }),
    )
  })
})
