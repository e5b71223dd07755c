/** The smallest value that at least `percent` of the values do not exceed (nearest rank). NaN for no values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length))
  return sorted[rank - 1] ?? Number.NaN
}

/** `value` with at most `digits` digits after the point. */
export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
