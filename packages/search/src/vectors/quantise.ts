const MOST = 127

/**
 * A vector in 8-bit numbers, the largest at ±127. Only its direction is kept, which is all that a cosine needs. The
 * zero vector stays zero.
 */
export function quantise(vector: ArrayLike<number>): Int8Array<ArrayBuffer> {
  let largest = 0
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i] as number
    if (value > largest) largest = value
    else if (-value > largest) largest = -value
  }
  const quantised = new Int8Array(vector.length)
  if (largest === 0) return quantised
  const scale = MOST / largest
  for (let i = 0; i < vector.length; i++) quantised[i] = Math.round((vector[i] as number) * scale)
  return quantised
}

/** The mean of unit vectors, in 8-bit numbers. */
export function quantisedMean(vectors: readonly Float32Array[]): Int8Array<ArrayBuffer> {
  const [first] = vectors
  if (first === undefined) return new Int8Array(0)
  if (vectors.length === 1) return quantise(first)
  const sum = new Float64Array(first.length)
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + (vector[i] as number)
  return quantise(sum)
}

/** 1 / length of a vector of whole numbers; 0 for the zero vector, so that it is near nothing. */
export function inverseLength(vector: Int8Array): number {
  let squares = 0
  for (let i = 0; i < vector.length; i++) squares += (vector[i] as number) ** 2
  return squares === 0 ? 0 : 1 / Math.sqrt(squares)
}

/** A vector of whole numbers, ready to be compared. */
export interface ComparedVector {
  readonly values: Int8Array
  readonly inverseLength: number
}

/** The cosine of two vectors of equal length; 0 where one has no direction. */
export function cosineOf(a: ComparedVector, b: ComparedVector): number {
  const { values: one } = a
  const { values: other } = b
  const inFours = one.length & ~3
  // Whole numbers, four sums at a time: learning compares every query with dozens of past ones.
  let [first, second, third, fourth] = [0, 0, 0, 0]
  for (let at = 0; at < inFours; at += 4) {
    first = (first + Math.imul(one[at] as number, other[at] as number)) | 0
    second = (second + Math.imul(one[at + 1] as number, other[at + 1] as number)) | 0
    third = (third + Math.imul(one[at + 2] as number, other[at + 2] as number)) | 0
    fourth = (fourth + Math.imul(one[at + 3] as number, other[at + 3] as number)) | 0
  }
  for (let at = inFours; at < one.length; at++) first += (one[at] as number) * (other[at] as number)
  return (first + second + third + fourth) * a.inverseLength * b.inverseLength
}
