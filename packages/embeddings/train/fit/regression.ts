import { addRows, type Bags, spread, sumsOf } from './bags.ts'
import { addScaled, dot, type Matrix, rowOf, zeros } from './matrix.ts'

/** How the table is fitted to the teacher. */
export interface RegressionOptions {
  /** How strongly rows are held to where they began; decides about pieces that the texts hardly have. */
  readonly pull: number
  /** How often the lengths that texts should reach are estimated anew. */
  readonly rounds: number
  readonly stepsPerRound: number
  onStep(round: number, step: number, error: number): void
}

/**
 * Moves the rows of `start` until the sums of each text's rows point where the teacher's vectors point: least squares
 * with conjugate gradients, `|XW − sY|² + pull·|W − W₀|²`. Only the direction of a sum counts later, so that the length
 * `s` of each text is free and chosen to suit the table.
 */
export function fitTable(bags: Bags, wanted: Matrix, start: Matrix, options: RegressionOptions): Matrix {
  const table: Matrix = { ...start, values: start.values.slice() }
  for (let round = 0; round < options.rounds; round++) {
    const lengths = lengthsOf(bags, wanted, table)
    descend(bags, { wanted, lengths, start, table }, round, options)
  }
  return table
}

/** How far the sum of each text reaches in the direction wanted; never backwards. */
function lengthsOf(bags: Bags, wanted: Matrix, table: Matrix): Float32Array {
  const sums = sumsOf(bags, table)
  const lengths = Float32Array.from({ length: bags.texts }, (_, text) => dot(rowOf(sums, text), rowOf(wanted, text)))
  const mean = lengths.reduce((total, length) => total + Math.max(0, length), 0) / Math.max(1, bags.texts)
  return lengths.map((length) => Math.max(length, mean / 4))
}

interface Problem {
  readonly wanted: Matrix
  readonly lengths: Float32Array
  readonly start: Matrix
  readonly table: Matrix
}

/** Conjugate gradients, every column with a step of its own, each piece scaled by how often the texts have it. */
function descend(bags: Bags, problem: Problem, round: number, options: RegressionOptions): void {
  const { table } = problem
  const scale = inverseDiagonal(bags, table.rows, options.pull)
  const residual = firstResidual(bags, problem, options.pull)
  let scaled = rowsScaled(residual, scale)
  const direction: Matrix = { ...scaled, values: scaled.values.slice() }
  let products = columnProducts(residual, scaled)
  for (let step = 0; step < options.stepsPerRound; step++) {
    const image = applied(bags, direction, options.pull)
    const steps = ratios(products, columnProducts(direction, image))
    addColumns(table, direction, steps, 1)
    addColumns(residual, image, steps, -1)
    scaled = rowsScaled(residual, scale)
    const next = columnProducts(residual, scaled)
    follow(direction, scaled, ratios(next, products))
    products = next
    options.onStep(
      round,
      step,
      products.reduce((sum, product) => sum + product, 0),
    )
  }
}

/** `Xᵀ(sY − XW) + pull·(W₀ − W)`. */
function firstResidual(bags: Bags, { wanted, lengths, start, table }: Problem, pull: number): Matrix {
  const residual = zeros(table.rows, table.columns)
  const difference = new Float32Array(table.columns)
  for (let text = 0; text < bags.texts; text++) {
    difference.fill(0)
    addRows(bags, text, table, difference)
    for (let at = 0; at < difference.length; at++) difference[at] = -(difference[at] ?? 0)
    addScaled(difference, rowOf(wanted, text), lengths[text] ?? 0)
    spread(bags, text, difference, residual)
  }
  addScaled(residual.values, start.values, pull)
  addScaled(residual.values, table.values, -pull)
  return residual
}

/** `(XᵀX + pull)·direction`. */
function applied(bags: Bags, direction: Matrix, pull: number): Matrix {
  const image = zeros(direction.rows, direction.columns)
  const sum = new Float32Array(direction.columns)
  for (let text = 0; text < bags.texts; text++) {
    sum.fill(0)
    addRows(bags, text, direction, sum)
    spread(bags, text, sum, image)
  }
  addScaled(image.values, direction.values, pull)
  return image
}

function inverseDiagonal(bags: Bags, pieces: number, pull: number): Float32Array {
  const diagonal = new Float32Array(pieces).fill(pull)
  for (const [at, piece] of bags.pieces.entries()) {
    diagonal[piece] = (diagonal[piece] ?? 0) + (bags.weights[at] ?? 0) ** 2
  }
  return diagonal.map((value) => 1 / value)
}

function rowsScaled(matrix: Matrix, scale: Float32Array): Matrix {
  const { columns } = matrix
  return { ...matrix, values: matrix.values.map((value, at) => value * (scale[Math.floor(at / columns)] ?? 0)) }
}

function columnProducts(one: Matrix, other: Matrix): Float64Array {
  const products = new Float64Array(one.columns)
  for (let at = 0, column = 0; at < one.values.length; at++) {
    products[column] = (products[column] ?? 0) + (one.values[at] ?? 0) * (other.values[at] ?? 0)
    column = column + 1 === one.columns ? 0 : column + 1
  }
  return products
}

function ratios(above: Float64Array, below: Float64Array): Float64Array {
  return above.map((value, column) => value / (below[column] || 1))
}

function addColumns(target: Matrix, source: Matrix, factors: Float64Array, sign: number): void {
  for (let at = 0, column = 0; at < target.values.length; at++) {
    target.values[at] = (target.values[at] ?? 0) + sign * (factors[column] ?? 0) * (source.values[at] ?? 0)
    column = column + 1 === target.columns ? 0 : column + 1
  }
}

/** `direction = scaled + factor·direction`, column by column. */
function follow(direction: Matrix, scaled: Matrix, factors: Float64Array): void {
  for (let at = 0, column = 0; at < direction.values.length; at++) {
    direction.values[at] = (scaled.values[at] ?? 0) + (factors[column] ?? 0) * (direction.values[at] ?? 0)
    column = column + 1 === direction.columns ? 0 : column + 1
  }
}
