/** Scores by number, with a list of the numbers that have one, so that clearing costs what was written and no more. */
export class ScoreBoard {
  /** The score of each number, 0 where it has none. Replaced when the board grows. */
  values = new Float64Array(0)
  /** The numbers that have a score, in order of their first; `count` of them. */
  touched = new Int32Array(0)
  count = 0

  /** Clears the board and makes room for numbers below `size`. */
  reset(size: number): void {
    if (this.values.length < size) {
      const capacity = Math.ceil(size * 1.25)
      this.values = new Float64Array(capacity)
      this.touched = new Int32Array(capacity)
    } else {
      for (let i = 0; i < this.count; i++) this.values[this.touched[i] as number] = 0
    }
    this.count = 0
  }

  /** Adds to a score. Scores are positive: 0 means none. */
  add(number: number, score: number): void {
    const before = this.values[number] as number
    if (before === 0) this.touched[this.count++] = number
    this.values[number] = before + score
  }

  /** Keeps the higher of the score and what was there. */
  raise(number: number, score: number): void {
    const before = this.values[number] as number
    if (before === 0) this.touched[this.count++] = number
    if (score > before) this.values[number] = score
  }

  /** Forgets the numbers whose score was set to 0. */
  dropEmpty(): void {
    let kept = 0
    for (let i = 0; i < this.count; i++) {
      const number = this.touched[i] as number
      if (this.values[number] !== 0) this.touched[kept++] = number
    }
    this.count = kept
  }

  /** The highest score, 0 on an empty board. */
  best(): number {
    let best = 0
    for (let i = 0; i < this.count; i++) {
      const score = this.values[this.touched[i] as number] as number
      if (score > best) best = score
    }
    return best
  }

  /** Adds all scores of another board. */
  addAll(other: ScoreBoard): void {
    for (let i = 0; i < other.count; i++) {
      const number = other.touched[i] as number
      this.add(number, other.values[number] as number)
    }
  }
}
