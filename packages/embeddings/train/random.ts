/** Numbers that look random and are the same in every run with the same seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 to 1, without 1 (the mulberry32 step). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  /** From 0 to `limit`, without `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  /** One of a list that is not empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item
  }

  /** The items in another order. */
  shuffled<Item>(items: readonly Item[]): Item[] {
    const order = [...items]
    for (let last = order.length - 1; last > 0; last--) {
      const other = this.below(last + 1)
      const moved = order[last] as Item
      order[last] = order[other] as Item
      order[other] = moved
    }
    return order
  }
}
