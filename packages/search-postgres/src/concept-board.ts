/** Scores by number. Of the members of one concept the best counts, and concepts add up. */
export class ConceptBoard {
  readonly #slots = new Map<number, number>()
  /** Side by side, by slot: whose score it is, the sum, and what the concept under way has in it. */
  readonly numbers: number[] = []
  readonly scores: number[] = []
  readonly #best: number[] = []
  readonly #concepts: number[] = []
  #concept = 0

  /** What is added from now on belongs to another concept. */
  nextConcept(): void {
    this.#concept++
  }

  /** Answers the slot. */
  add(number: number, score: number): number {
    const slot = this.#slotOf(number)
    const before = this.#concepts[slot] === this.#concept ? (this.#best[slot] ?? 0) : 0
    if (score <= before) return slot
    this.#concepts[slot] = this.#concept
    this.#best[slot] = score
    this.scores[slot] = (this.scores[slot] ?? 0) - before + score
    return slot
  }

  scoreOf(number: number): number {
    return this.scores[this.#slots.get(number) ?? -1] ?? 0
  }

  /** The slot with the best score; absent where nothing scored. */
  best(): number | undefined {
    let best: number | undefined
    for (let slot = 0; slot < this.scores.length; slot++) {
      if (best === undefined || (this.scores[slot] ?? 0) > (this.scores[best] ?? 0)) best = slot
    }
    return best
  }

  #slotOf(number: number): number {
    const known = this.#slots.get(number)
    if (known !== undefined) return known
    const slot = this.numbers.length
    this.#slots.set(number, slot)
    this.numbers.push(number)
    this.scores.push(0)
    this.#best.push(0)
    this.#concepts.push(-1)
    return slot
  }
}
