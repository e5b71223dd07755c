/** Rows of numbers, one after the other. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

/** A matrix of zeros. */
export function zeros(rows: number, columns: number): Matrix {
  return { rows, columns, values: new Float32Array(rows * columns) }
}

/** A matrix of vectors that have the same length. */
export function matrixOf(vectors: readonly Float32Array[], columns: number): Matrix {
  const matrix = zeros(vectors.length, columns)
  for (const [row, vector] of vectors.entries()) matrix.values.set(vector, row * columns)
  return matrix
}

/** One row, not a copy. */
export function rowOf(matrix: Matrix, row: number): Float32Array {
  return matrix.values.subarray(row * matrix.columns, (row + 1) * matrix.columns)
}

/** `target += factor * source`. */
export function addScaled(target: Float32Array, source: Float32Array, factor: number): void {
  for (let at = 0; at < target.length; at++) target[at] = (target[at] ?? 0) + factor * (source[at] ?? 0)
}

/** The sum of products. */
export function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0)
  return sum
}

/** Each row times a matrix whose rows are the new axes: coordinates along them. */
export function projected(matrix: Matrix, axes: Matrix): Matrix {
  const result = zeros(matrix.rows, axes.rows)
  for (let row = 0; row < matrix.rows; row++) {
    const vector = rowOf(matrix, row)
    for (let axis = 0; axis < axes.rows; axis++) result.values[row * axes.rows + axis] = dot(vector, rowOf(axes, axis))
  }
  return result
}
