import { addScaled, dot, type Matrix, rowOf, zeros } from './matrix.ts'

/** The mean loss of a batch, and how it changes with each vector of both sides. */
export interface PairSlopes {
  readonly loss: number
  readonly ones: Matrix
  readonly others: Matrix
}

/**
 * How well each vector picks its partner among all partners of the batch, both ways: the cross entropy of the softmax
 * over cosines. The vectors need not have length 1.
 */
export function pairSlopes(ones: Matrix, others: Matrix, temperature: number): PairSlopes {
  const [one, other] = [unitRows(ones), unitRows(others)]
  const cosines = zeros(ones.rows, ones.rows)
  for (let i = 0; i < ones.rows; i++) {
    const row = rowOf(one.units, i)
    for (let j = 0; j < ones.rows; j++) cosines.values[i * ones.rows + j] = dot(row, rowOf(other.units, j))
  }
  const forwards = shares(cosines, temperature)
  const backwards = transposed(shares(transposed(cosines), temperature))
  const errors = zeros(ones.rows, ones.rows)
  for (let at = 0; at < errors.values.length; at++) {
    const wanted = at % (ones.rows + 1) === 0 ? 1 : 0
    const share = ((forwards.values[at] ?? 0) + (backwards.values[at] ?? 0)) / 2
    errors.values[at] = (share - wanted) / (ones.rows * temperature)
  }
  return {
    loss: lossOf(forwards),
    ones: throughLength(weightedSums(errors, other.units), one),
    others: throughLength(weightedSums(transposed(errors), one.units), other),
  }
}

interface UnitRows {
  readonly units: Matrix
  readonly lengths: readonly number[]
}

function unitRows(matrix: Matrix): UnitRows {
  const units: Matrix = { ...matrix, values: matrix.values.slice() }
  const lengths = Array.from({ length: matrix.rows }, (_, nth) => {
    const row = rowOf(units, nth)
    const length = Math.sqrt(dot(row, row)) + 1e-6
    for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) / length
    return length
  })
  return { units, lengths }
}

/** Each row's softmax. */
function shares(cosines: Matrix, temperature: number): Matrix {
  const result: Matrix = { ...cosines, values: cosines.values.slice() }
  for (let nth = 0; nth < result.rows; nth++) {
    const row = rowOf(result, nth)
    const most = row.reduce((largest, value) => Math.max(largest, value), -1)
    let sum = 0
    for (let at = 0; at < row.length; at++) {
      const power = Math.exp(((row[at] ?? 0) - most) / temperature)
      row[at] = power
      sum += power
    }
    for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) / sum
  }
  return result
}

function lossOf(forwards: Matrix): number {
  let loss = 0
  for (let nth = 0; nth < forwards.rows; nth++) loss -= Math.log((rowOf(forwards, nth)[nth] ?? 0) + 1e-9)
  return loss / forwards.rows
}

function weightedSums(weights: Matrix, vectors: Matrix): Matrix {
  const sums = zeros(weights.rows, vectors.columns)
  for (let nth = 0; nth < weights.rows; nth++) {
    const row = rowOf(sums, nth)
    for (let at = 0; at < vectors.rows; at++) addScaled(row, rowOf(vectors, at), rowOf(weights, nth)[at] ?? 0)
  }
  return sums
}

/** From the slope of a vector of length 1 to that of the vector itself, whose length does not count. */
function throughLength(slopes: Matrix, { units, lengths }: UnitRows): Matrix {
  for (let nth = 0; nth < slopes.rows; nth++) {
    const [slope, unit] = [rowOf(slopes, nth), rowOf(units, nth)]
    addScaled(slope, unit, -dot(slope, unit))
    for (let at = 0; at < slope.length; at++) slope[at] = (slope[at] ?? 0) / (lengths[nth] ?? 1)
  }
  return slopes
}

function transposed(matrix: Matrix): Matrix {
  const result = zeros(matrix.columns, matrix.rows)
  for (let row = 0; row < matrix.rows; row++) {
    for (let column = 0; column < matrix.columns; column++) {
      result.values[column * matrix.rows + row] = matrix.values[row * matrix.columns + column] ?? 0
    }
  }
  return result
}
