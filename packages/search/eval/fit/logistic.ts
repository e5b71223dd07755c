/** What a model is fitted by. */
export interface Example {
  readonly features: readonly number[]
  readonly isRight: boolean
  readonly weight: number
}

/** How much large weights cost. */
const PENALTY = 1
const STEPS = 100
const CLOSE_ENOUGH = 1e-9

/** The probability that a model gives. */
export function probability(weights: readonly number[], features: readonly number[]): number {
  let sum = 0
  for (const [number, feature] of features.entries()) sum += (weights[number] ?? 0) * feature
  return 1 / (1 + Math.exp(-sum))
}

/**
 * The weights of a logistic regression, by Newton's method; the first feature is constant and goes free of penalty. The
 * same examples give the same weights.
 */
export function fitLogistic(examples: readonly Example[]): readonly number[] {
  const size = examples[0]?.features.length ?? 0
  let weights = Array.from({ length: size }, () => 0)
  for (let step = 0; step < STEPS; step++) {
    const slope = weights.map((weight, number) => (number === 0 ? 0 : -PENALTY * weight))
    const curve: number[][] = weights.map((_, row) =>
      weights.map((_, column) => (row === column && row > 0 ? PENALTY : 0)),
    )
    for (const { features, isRight, weight } of examples) {
      const likely = probability(weights, features)
      const error = weight * (Number(isRight) - likely)
      const spread = weight * likely * (1 - likely)
      for (const [row, feature] of features.entries()) {
        slope[row] = (slope[row] ?? 0) + error * feature
        const line = curve[row] ?? []
        for (const [column, other] of features.entries()) line[column] = (line[column] ?? 0) + spread * feature * other
      }
    }
    const change = solve(curve, slope)
    weights = weights.map((weight, number) => weight + (change[number] ?? 0))
    if (change.every((one) => Math.abs(one) < CLOSE_ENOUGH)) break
  }
  return weights
}

/** Solves a symmetric positive system by elimination. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): readonly number[] {
  const rows = matrix.map((row, number) => [...row, right[number] ?? 0])
  for (const [pivot, line] of rows.entries()) {
    const head = line[pivot] ?? 0
    // A feature that no example has stays without weight.
    if (Math.abs(head) < Number.EPSILON) continue
    for (const [number, other] of rows.entries()) {
      if (number === pivot) continue
      const times = (other[pivot] ?? 0) / head
      if (times === 0) continue
      for (let column = pivot; column < other.length; column++) {
        other[column] = (other[column] ?? 0) - times * (line[column] ?? 0)
      }
    }
  }
  return rows.map((row, number) => {
    const head = row[number] ?? 0
    return Math.abs(head) < Number.EPSILON ? 0 : (row.at(-1) ?? 0) / head
  })
}
