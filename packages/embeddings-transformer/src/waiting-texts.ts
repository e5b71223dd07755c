/** A text that waits for its vector. */
export interface WaitingText {
  readonly text: string
  /** Whether somebody waits for the answer of a search. */
  readonly isUrgent: boolean
  resolve(vector: Float32Array): void
  reject(reason: unknown): void
}

/** The texts that wait for the model: those of searches first, each kind in the order in which they came. */
export class WaitingTexts {
  readonly #urgent = new Set<WaitingText>()
  readonly #others = new Set<WaitingText>()

  add(waiting: WaitingText): void {
    this.#of(waiting).add(waiting)
  }

  /** Forgets one that nobody waits for any more. */
  remove(waiting: WaitingText): void {
    this.#of(waiting).delete(waiting)
  }

  /** Takes out the next one. */
  next(): WaitingText | undefined {
    for (const waiting of this.#urgent.size > 0 ? this.#urgent : this.#others) {
      this.remove(waiting)
      return waiting
    }
    return undefined
  }

  /** Takes out all. */
  drain(): WaitingText[] {
    const all = [...this.#urgent, ...this.#others]
    this.#urgent.clear()
    this.#others.clear()
    return all
  }

  get hasUrgent(): boolean {
    return this.#urgent.size > 0
  }

  #of({ isUrgent }: WaitingText): Set<WaitingText> {
    return isUrgent ? this.#urgent : this.#others
  }
}
