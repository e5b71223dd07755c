import { describe, expect, it } from 'vitest'
import { WordPiece } from '../../src/wordpiece/word-piece.ts'
import { Random } from '../random.ts'
import { type Bags, bagsOf, sumsOf } from './bags.ts'
import { batchesOf, contrast } from './contrast.ts'
import { dot, type Matrix, projected, rowOf, zeros } from './matrix.ts'
import { pairSlopes } from './pair-slopes.ts'
import { principalAxes } from './principal-axes.ts'
import { quantized } from '../save-table.ts'
import { fitTable } from './regression.ts'
import { meanCosine } from './train-table.ts'

const PIECES = 30
const COLUMNS = 8

function randomMatrix(rows: number, columns: number, random: Random): Matrix {
  return { rows, columns, values: Float32Array.from({ length: rows * columns }, () => random.next() - 0.5) }
}

/** Texts of the words `w0` to `w29`. */
function randomTexts(count: number, words: number, random: Random): string[] {
  return Array.from({ length: count }, () => Array.from({ length: words }, () => `w${random.below(PIECES)}`).join(' '))
}

const pieces = new WordPiece(Array.from({ length: PIECES }, (_, nth) => `w${nth}`).join('\n'))

describe('bags', () => {
  it('weigh words by their frequency, and texts equally', () => {
    const bags = bagsOf(['w1 w2 w2 unknown', '', 'w3'], pieces)
    expect([...bags.starts]).toEqual([0, 2, 2, 3])
    expect([...bags.pieces]).toEqual([1, 2, 3])
    expect([...bags.weights].map((weight) => weight.toFixed(3))).toEqual(['0.707', '1.197', '1.000'])
  })
})

describe('principalAxes', () => {
  it('are orthogonal, with the reported lengths, the longest first', () => {
    const random = new Random(1)
    const stretched = randomMatrix(200, COLUMNS, random)
    // The last column is always 0, as some of the teacher's are.
    stretched.values.forEach((value, at) => (stretched.values[at] = value * (COLUMNS - 1 - (at % COLUMNS))))
    const axes = principalAxes(stretched, 5)
    for (let one = 0; one < 5; one++) {
      for (let other = 0; other < 5; other++) {
        expect(dot(rowOf(axes, one), rowOf(axes, other))).toBeCloseTo(one === other ? 1 : 0, 4)
      }
    }
    const along = projected(stretched, axes)
    const lengths = Array.from({ length: 5 }, (_, axis) => {
      return along.values.reduce((sum, value, at) => sum + (at % 5 === axis ? value * value : 0), 0)
    })
    expect(lengths).toEqual(lengths.toSorted((one, other) => other - one))
  })
})

describe('fitTable', () => {
  it('recovers the table from the directions of texts', () => {
    const random = new Random(2)
    const hidden = randomMatrix(PIECES, COLUMNS, random)
    const directionsOf = (bags: Bags) => {
      const sums = sumsOf(bags, hidden)
      for (let text = 0; text < sums.rows; text++) {
        const row = rowOf(sums, text)
        const length = Math.sqrt(dot(row, row))
        row.forEach((value, at) => (row[at] = value / length))
      }
      return sums
    }
    const seen = bagsOf(randomTexts(400, 4, random), pieces)
    const unseen = bagsOf(randomTexts(50, 4, random), pieces)
    const start = randomMatrix(PIECES, COLUMNS, random)
    const errors: number[] = []
    const onStep = (_round: number, _step: number, error: number) => errors.push(error)
    const fitted = fitTable(seen, directionsOf(seen), start, { pull: 0.01, rounds: 3, stepsPerRound: 15, onStep })
    expect(meanCosine(unseen, start, directionsOf(unseen))).toBeLessThan(0.5)
    expect(meanCosine(unseen, fitted, directionsOf(unseen))).toBeGreaterThan(0.95)
    expect(errors).toHaveLength(45)
  })

  it('does not change rows that no text has', () => {
    const start = randomMatrix(PIECES, 2, new Random(3))
    const bags = bagsOf(['w1'], pieces)
    const wanted: Matrix = { rows: 1, columns: 2, values: Float32Array.of(0, 1) }
    const fitted = fitTable(bags, wanted, start, { pull: 0.3, rounds: 1, stepsPerRound: 5, onStep: () => {} })
    expect(rowOf(fitted, 2)).toEqual(rowOf(start, 2))
    expect(rowOf(fitted, 1)).not.toEqual(rowOf(start, 1))
  })
})

describe('contrast', () => {
  it('follows the numerical gradient', () => {
    const random = new Random(4)
    const [ones, others] = [randomMatrix(5, 3, random), randomMatrix(5, 3, random)]
    // The reported loss is of one direction; the slope is of both.
    const both = () => (pairSlopes(ones, others, 0.5).loss + pairSlopes(others, ones, 0.5).loss) / 2
    const slopes = pairSlopes(ones, others, 0.5)
    for (const [matrix, slope] of [[ones, slopes.ones] as const, [others, slopes.others] as const]) {
      for (let at = 0; at < matrix.values.length; at++) {
        const value = matrix.values[at] ?? 0
        matrix.values[at] = value + 0.01
        const above = both()
        matrix.values[at] = value - 0.01
        const below = both()
        matrix.values[at] = value
        expect((above - below) / 0.02).toBeCloseTo(slope.values[at] ?? 0, 2)
      }
    }
  })

  it('moves partners together, limited by the pull', () => {
    const ones = bagsOf(
      Array.from({ length: 10 }, (_, nth) => `w${nth}`),
      pieces,
    )
    const others = bagsOf(
      Array.from({ length: 10 }, (_, nth) => `w${nth + 10}`),
      pieces,
    )
    const start = randomMatrix(PIECES, COLUMNS, new Random(5))
    const learnt = (pull: number) => {
      const losses: number[] = []
      const options = {
        epochs: 60,
        batchSize: 10,
        perGroup: 2,
        temperature: 0.2,
        rate: 0.1,
        pull,
        random: new Random(6),
      }
      const groups = Array.from({ length: 10 }, (_, nth) => `group ${nth % 3}`)
      const onBatch = (_done: number, _total: number, loss: number) => losses.push(loss)
      return { table: contrast({ ones, others, groups }, start, { ...options, onBatch }), losses }
    }
    const free = learnt(0)
    expect(free.losses.at(-1)).toBeLessThan((free.losses[0] ?? 0) / 4)
    expect(rowOf(free.table, 25)).toEqual(rowOf(start, 25))
    expect(learnt(0.5).losses.at(-1)).toBeGreaterThan(free.losses.at(-1) ?? 0)
    expect(learnt(0).table).toEqual(free.table)
  })

  it('has members of a group side by side in batches, everything at most once', () => {
    const groups = Array.from({ length: 103 }, (_, nth) => `group ${nth % 10}`)
    const batches = batchesOf(groups, { batchSize: 20, perGroup: 5, random: new Random(7) })
    expect(batches.map((batch) => batch.length)).toEqual([20, 20, 20, 20, 20])
    expect(new Set(batches.flat()).size).toBe(100)
    expect(new Set(batches[0]?.map((member) => groups[member])).size).toBeLessThan(10)
  })
})

describe('quantized', () => {
  it('is wrong by half a step at most, and keeps empty rows', () => {
    const matrix = randomMatrix(PIECES, COLUMNS, new Random(8))
    rowOf(matrix, 3).fill(0)
    const { rows, scales } = quantized('id', ['a', 'b'], matrix)
    for (const [at, value] of matrix.values.entries()) {
      const scale = scales[Math.floor(at / COLUMNS)] ?? 0
      expect(Math.abs((rows[at] ?? 0) * scale - value)).toBeLessThanOrEqual(scale / 2 + 1e-6)
    }
    expect(scales[3]).toBe(0)
    expect(zeros(1, 2).values).toEqual(new Float32Array(2))
  })
})
