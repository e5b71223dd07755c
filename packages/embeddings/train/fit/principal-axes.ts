import { type Matrix, rowOf, zeros } from './matrix.ts'

/** Enough for 384 axes; ends earlier where nothing is left to turn. */
const SWEEPS = 12

/** The directions in which the rows are longest, the longest first, as rows of length 1. */
export function principalAxes(matrix: Matrix, count: number): Matrix {
  const size = matrix.columns
  const moments = secondMoments(matrix)
  const axes = identity(size)
  for (let sweep = 0, turned = true; turned && sweep < SWEEPS; sweep++) turned = rotateAll(moments, axes, size)
  const order = Array.from({ length: size }, (_, at) => at)
  order.sort((one, other) => at(moments, other * size + other) - at(moments, one * size + one))
  const longest = zeros(Math.min(count, size), size)
  for (let nth = 0; nth < longest.rows; nth++) {
    const axis = order[nth] ?? 0
    longest.values.set(axes.subarray(axis * size, (axis + 1) * size), nth * size)
  }
  return longest
}

function secondMoments(matrix: Matrix): Float64Array {
  const size = matrix.columns
  const moments = new Float64Array(size * size)
  for (let row = 0; row < matrix.rows; row++) {
    const vector = rowOf(matrix, row)
    for (let i = 0; i < size; i++) {
      const value = vector[i] ?? 0
      for (let j = i; j < size; j++) moments[i * size + j] = at(moments, i * size + j) + value * (vector[j] ?? 0)
    }
  }
  for (let i = 0; i < size; i++) for (let j = 0; j < i; j++) moments[i * size + j] = at(moments, j * size + i)
  return moments
}

/** One sweep of Jacobi's method: turns every pair of axes so that their product vanishes. Returns whether any did turn. */
function rotateAll(moments: Float64Array, axes: Float32Array, size: number): boolean {
  let turned = false
  for (let p = 0; p < size; p++) {
    for (let q = p + 1; q < size; q++) {
      const product = at(moments, p * size + q)
      const [pp, qq] = [at(moments, p * size + p), at(moments, q * size + q)]
      if (Math.abs(product) <= 1e-9 * Math.sqrt(Math.abs(pp * qq))) continue
      const ratio = (qq - pp) / (2 * product)
      const tangent = Math.sign(ratio || 1) / (Math.abs(ratio) + Math.hypot(1, ratio))
      const cosine = 1 / Math.hypot(1, tangent)
      turn(moments, axes, { p, q, size, cosine, sine: tangent * cosine })
      turned = true
    }
  }
  return turned
}

interface Turn {
  readonly p: number
  readonly q: number
  readonly size: number
  readonly cosine: number
  readonly sine: number
}

function turn(moments: Float64Array, axes: Float32Array, { p, q, size, cosine, sine }: Turn): void {
  for (let k = 0; k < size; k++) turnPair(moments, k * size + p, k * size + q, cosine, sine)
  for (let k = 0; k < size; k++) turnPair(moments, p * size + k, q * size + k, cosine, sine)
  for (let k = 0; k < size; k++) turnPair(axes, p * size + k, q * size + k, cosine, sine)
}

function turnPair(values: Float64Array | Float32Array, one: number, other: number, cosine: number, sine: number): void {
  const [first, second] = [at(values, one), at(values, other)]
  values[one] = cosine * first - sine * second
  values[other] = sine * first + cosine * second
}

function identity(size: number): Float32Array {
  const values = new Float32Array(size * size)
  for (let nth = 0; nth < size; nth++) values[nth * size + nth] = 1
  return values
}

function at(values: Float64Array | Float32Array, index: number): number {
  return values[index] ?? 0
}
