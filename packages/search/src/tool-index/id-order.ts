/** Sorts ids in place. The sort without a comparator has the order of `compareIds` and is faster. */
export function inIdOrder(ids: string[]): readonly string[] {
  return ids.sort()
}

/**
 * A set of ids in order. Changes are noted in constant time and merged when the order is next asked for, so that
 * registering tools one by one costs nothing here.
 */
export class IdOrder {
  #sorted: readonly string[] = []
  #added: string[] = []
  readonly #removed = new Set<string>()

  add(id: string): void {
    // An id removed since the last merge still stands in the sorted list.
    if (!this.#removed.delete(id)) this.#added.push(id)
  }

  remove(id: string): void {
    this.#removed.add(id)
  }

  /** The ids, smallest first. Not a copy: valid until the next change. */
  sorted(): readonly string[] {
    if (this.#added.length === 0 && this.#removed.size === 0) return this.#sorted
    const added = inIdOrder(this.#added)
    const merged = this.#sorted.length === 0 ? added : mergeSorted(this.#sorted, added)
    this.#sorted = this.#removed.size === 0 ? merged : merged.filter((id) => !this.#removed.has(id))
    this.#added = []
    this.#removed.clear()
    return this.#sorted
  }
}

function mergeSorted(a: readonly string[], b: readonly string[]): string[] {
  const merged: string[] = []
  let inB = 0
  for (const id of a) {
    for (let next = b[inB]; next !== undefined && next < id; next = b[++inB]) merged.push(next)
    merged.push(id)
  }
  for (; inB < b.length; inB++) merged.push(b[inB] as string)
  return merged
}
