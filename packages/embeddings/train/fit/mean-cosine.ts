import { type Bags, sumsOf } from './bags.ts'
import { dot, type Matrix, rowOf } from './matrix.ts'

/** How near the sums of a table come to the vectors wanted, on average; 1 is the same direction. */
export function meanCosine(bags: Bags, table: Matrix, wanted: Matrix): number {
  const sums = sumsOf(bags, table)
  let total = 0
  for (let text = 0; text < bags.texts; text++) {
    const [sum, vector] = [rowOf(sums, text), rowOf(wanted, text)]
    const lengths = Math.sqrt(dot(sum, sum) * dot(vector, vector))
    total += lengths === 0 ? 0 : dot(sum, vector) / lengths
  }
  return bags.texts === 0 ? 0 : total / bags.texts
}
