/**
 * Scores of different kinds are added after each is told in deviations from its mean over all tools of a view, so that
 * neither kind drowns the other. `mean` and `deviation` come from sums of whole numbers: exact, in whatever order.
 */
export class Deviation {
  readonly mean: number
  /** 1 / standard deviation; 0 where all are the same and nothing is to be told apart. */
  readonly #perUnit: number

  /** From the number of values, their sum and the sum of their squares. */
  constructor(count: number, sum: number, squares: number) {
    this.mean = count === 0 ? 0 : sum / count
    const variance = count === 0 ? 0 : (count * squares - sum * sum) / (count * count)
    this.#perUnit = variance > 0 ? 1 / Math.sqrt(variance) : 0
  }

  /** How many deviations a value is above the mean. */
  of(value: number): number {
    return (value - this.mean) * this.#perUnit
  }
}
