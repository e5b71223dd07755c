import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ScoreBoard } from './score-board.ts'

const SIZE = 12
const entry = fc.record({
  number: fc.nat({ max: SIZE - 1 }),
  score: fc.integer({ min: 1, max: 20 }),
  kind: fc.constantFrom('add', 'raise'),
} as const)
type Entry = { readonly number: number; readonly score: number; readonly kind: 'add' | 'raise' }

const fill = (board: ScoreBoard, entries: readonly Entry[]): Map<number, number> => {
  const model = new Map<number, number>()
  for (const { number, score, kind } of entries) {
    const before = model.get(number) ?? 0
    board[kind](number, score)
    model.set(number, kind === 'add' ? before + score : Math.max(before, score))
  }
  return model
}

const contentsOf = (board: ScoreBoard): [number, number][] =>
  Array.from(board.touched.subarray(0, board.count), (number) => [number, board.values[number] as number])

describe('ScoreBoard', () => {
  it('adds and raises, and lists each number once', () => {
    fc.assert(
      fc.property(fc.array(entry), fc.array(entry), fc.nat({ max: 2 * SIZE }), (before, entries, more) => {
        const board = new ScoreBoard()
        board.reset(SIZE)
        fill(board, before)
        board.reset(SIZE + more)
        const model = fill(board, entries)
        expect(contentsOf(board)).toEqual([...model])
        expect(board.best()).toBe(Math.max(0, ...model.values()))
        expect(board.values.reduce((sum, score) => sum + score, 0)).toBe([...model.values()].reduce((a, b) => a + b, 0))
      }),
    )
  })

  it('adds another board', () => {
    const [board, other] = [new ScoreBoard(), new ScoreBoard()]
    board.reset(SIZE)
    other.reset(SIZE)
    board.add(1, 2)
    other.add(1, 3)
    other.add(4, 5)
    board.addAll(other)
    expect(contentsOf(board)).toEqual([
      [1, 5],
      [4, 5],
    ])
  })

  it('forgets numbers whose score was taken', () => {
    const board = new ScoreBoard()
    board.reset(SIZE)
    for (const number of [3, 1, 2]) board.add(number, number)
    board.values[1] = 0
    board.dropEmpty()
    expect(contentsOf(board)).toEqual([
      [3, 3],
      [2, 2],
    ])
    board.add(1, 9)
    expect(board.count).toBe(3)
  })
})
