import type { Random } from '../random.ts'
import { addRows, type Bags, spread } from './bags.ts'
import { addScaled, dot, type Matrix, rowOf, zeros } from './matrix.ts'
import { pairSlopes } from './pair-slopes.ts'

/** Texts that belong together: the nth of one side with the nth of the other. */
export interface Pairs {
  readonly ones: Bags
  readonly others: Bags
  /** Pairs of the same group come into the same batch, where they are the hardest to separate. */
  readonly groups: readonly string[]
}

/** How the table learns to separate pairs. */
interface ContrastOptions extends BatchOptions {
  readonly epochs: number
  /** How much a wrong neighbour matters compared with the worst one; smaller looks at the worst only. */
  readonly temperature: number
  /** The first step of a row, as a share of the usual length of a row. */
  readonly rate: number
  /** The share of the way back to where it began that a row goes after each step. */
  readonly pull: number
  onBatch(done: number, total: number, loss: number): void
}

/**
 * Moves rows so that a text is nearer to its partner than to the partners of the others in its batch. Steps are
 * Adagrad's, with one rate for each row.
 */
export function contrast(pairs: Pairs, start: Matrix, options: ContrastOptions): Matrix {
  const table: Matrix = { ...start, values: start.values.slice() }
  const slopes = zeros(start.rows, start.columns)
  const seen = new Float32Array(start.rows)
  const rate = options.rate * usualLength(start)
  const batches = Array.from({ length: options.epochs }, () => batchesOf(pairs.groups, options)).flat()
  for (const [nth, batch] of batches.entries()) {
    const ones = sumsOfBatch(pairs.ones, batch, table)
    const others = sumsOfBatch(pairs.others, batch, table)
    const found = pairSlopes(ones, others, options.temperature)
    const touched = new Set<number>()
    spreadBatch(pairs.ones, batch, found.ones, slopes, touched)
    spreadBatch(pairs.others, batch, found.others, slopes, touched)
    for (const piece of touched) {
      const [row, slope] = [rowOf(table, piece), rowOf(slopes, piece)]
      seen[piece] = (seen[piece] ?? 0) + dot(slope, slope)
      addScaled(row, slope, -rate / Math.sqrt((seen[piece] ?? 0) + 1e-12))
      drawBack(row, rowOf(start, piece), options.pull)
      slope.fill(0)
    }
    options.onBatch(nth + 1, batches.length, found.loss)
  }
  return table
}

function sumsOfBatch(bags: Bags, batch: readonly number[], table: Matrix): Matrix {
  const sums = zeros(batch.length, table.columns)
  for (const [nth, text] of batch.entries()) addRows(bags, text, table, rowOf(sums, nth))
  return sums
}

function spreadBatch(bags: Bags, batch: readonly number[], found: Matrix, slopes: Matrix, touched: Set<number>): void {
  for (const [nth, text] of batch.entries()) {
    spread(bags, text, rowOf(found, nth), slopes)
    for (let at = bags.starts[text] ?? 0; at < (bags.starts[text + 1] ?? 0); at++) touched.add(bags.pieces[at] ?? 0)
  }
}

function drawBack(row: Float32Array, start: Float32Array, share: number): void {
  for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) * (1 - share) + (start[at] ?? 0) * share
}

/** The middle length of the rows that are not empty. */
function usualLength(table: Matrix): number {
  const lengths = Array.from({ length: table.rows }, (_, piece) =>
    Math.sqrt(dot(rowOf(table, piece), rowOf(table, piece))),
  )
  const sorted = lengths.filter((length) => length > 0).sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? 1
}

/** How pairs are put into batches. */
interface BatchOptions {
  readonly batchSize: number
  /** How many members of one group a batch gets in one go. */
  readonly perGroup: number
  readonly random: Random
}

/** Everything once, in random order but with members of a group side by side; what fills no batch is left out. */
export function batchesOf(groups: readonly string[], { batchSize, perGroup, random }: BatchOptions): number[][] {
  const order = random.shuffled(groups.map((_, member) => member))
  const runs: number[][] = []
  for (const members of Map.groupBy(order, (member) => groups[member] ?? '').values()) {
    for (let at = 0; at < members.length; at += perGroup) runs.push(members.slice(at, at + perGroup))
  }
  const mixed = random.shuffled(runs).flat()
  const batches: number[][] = []
  for (let at = 0; at + batchSize <= mixed.length; at += batchSize) batches.push(mixed.slice(at, at + batchSize))
  return batches
}
