import { startsOf, type SavedReader, type SavedWriter } from '../../../saved/saved-parts.ts'
import { GrowableInts } from './growable-ints.ts'

/** Below this it is not worth tidying up. */
const SMALLEST_WASTE = 65_536

/**
 * Many short lists of integers in one typed array, by number. A list is replaced by writing it anew; when more than
 * half of the array is given up, what is left moves together.
 */
export class IntSlices {
  #items: Int32Array = new Int32Array(4096)
  #end = 0
  #wasted = 0
  readonly #starts = new GrowableInts()
  readonly #lengths = new GrowableInts()
  #count = 0

  /** Where all lists stand; list `n` is at `start(n)` and after. Replaced when lists are written. */
  get items(): Int32Array {
    return this.#items
  }

  start(number: number): number {
    return this.#starts.get(number)
  }

  length(number: number): number {
    return this.#lengths.get(number)
  }

  /** The list itself, not a copy: valid until the next write. */
  get(number: number): Int32Array {
    return this.#items.subarray(this.start(number), this.start(number) + this.length(number))
  }

  /** Writes list `number`: the first `length` of `source`. */
  set(number: number, source: Int32Array, length: number): void {
    this.delete(number)
    this.#makeRoom(length)
    this.#items.set(source.subarray(0, length), this.#end)
    this.#starts.set(number, this.#end)
    this.#lengths.set(number, length)
    this.#end += length
    if (number >= this.#count) this.#count = number + 1
  }

  delete(number: number): void {
    this.#wasted += this.#lengths.get(number)
    this.#lengths.set(number, 0)
  }

  /** Writes the lists below `count` as parts of a saved index. */
  save(to: SavedWriter, name: string, count: number): void {
    const lengths = Int32Array.from({ length: count }, (_, number) => this.length(number))
    const items = new Int32Array(lengths.reduce((sum, length) => sum + length, 0))
    for (let number = 0, end = 0; number < count; number++) {
      items.set(this.get(number), end)
      end += lengths[number] as number
    }
    to.numbers(`${name}.lengths`, lengths)
    to.numbers(`${name}.items`, items)
  }

  /** Takes over saved lists in place of its own. */
  restore(from: SavedReader, name: string): void {
    const lengths = from.ints(`${name}.lengths`)
    // Lent, and never written to: the array is full, so the first list that is written moves all to a larger one.
    this.#items = from.lentInts(`${name}.items`)
    this.#end = this.#items.length
    this.#wasted = 0
    this.#count = lengths.length
    this.#starts.restore(startsOf(lengths))
    this.#lengths.restore(lengths)
  }

  #makeRoom(length: number): void {
    const live = this.#end - this.#wasted
    if (this.#wasted > Math.max(SMALLEST_WASTE, live)) this.#moveTo(this.#items.length)
    if (this.#end + length > this.#items.length) this.#moveTo(Math.ceil((this.#end - this.#wasted) * 1.5) + length)
  }

  #moveTo(size: number): void {
    const moved = new Int32Array(size)
    let end = 0
    for (let number = 0; number < this.#count; number++) {
      const list = this.get(number)
      moved.set(list, end)
      this.#starts.set(number, end)
      end += list.length
    }
    this.#items = moved
    this.#end = end
    this.#wasted = 0
  }
}
