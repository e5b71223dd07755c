/** A list of 32-bit integers that grows; reads past the end give 0. */
export class GrowableInts {
  #items: Int32Array

  constructor(capacity = 64) {
    this.#items = new Int32Array(capacity)
  }

  /** Takes over items; the array is not copied. */
  restore(items: Int32Array): void {
    this.#items = items
  }

  /** The storage itself, for loops that cannot afford a call per item. Replaced when the list grows. */
  get items(): Int32Array {
    return this.#items
  }

  get(index: number): number {
    return this.#items[index] ?? 0
  }

  set(index: number, value: number): void {
    if (index >= this.#items.length) this.reserve(index + 1)
    this.#items[index] = value
  }

  /** Makes room for `size` items. */
  reserve(size: number): void {
    if (size <= this.#items.length) return
    const grown = new Int32Array(Math.max(size, Math.ceil(this.#items.length * 1.5)))
    grown.set(this.#items)
    this.#items = grown
  }
}
