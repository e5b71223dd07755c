import { startsOf, type SavedReader, type SavedWriter } from '../../../saved/saved-parts.ts'
import { GrowableInts } from './growable-ints.ts'

const SMALLEST_BLOCK = 2

/**
 * For every term the documents that have it, in ascending order, each with one packed number. All lists live in two
 * typed arrays: a list owns a block whose size is a power of two, moves to a larger block when it is full, and leaves
 * its old block to others. So adding, changing and removing a document never rebuilds anything.
 */
export class PostingLists {
  #documents: Int32Array = new Int32Array(1024)
  #values: Int32Array = new Int32Array(1024)
  #end = 0
  /** The two arrays are parts of a saved index, which must not change. */
  #isLent = false
  readonly #starts = new GrowableInts()
  readonly #lengths = new GrowableInts()
  readonly #capacities = new GrowableInts()
  /** Abandoned blocks, by the logarithm of their size. */
  readonly #freeBlocks: number[][] = []

  /** Where all lists' documents stand; a term's are at `start(term)` and after. Replaced when it grows. */
  get documents(): Int32Array {
    return this.#documents
  }

  /** The packed numbers, at the same places as `documents`. */
  get values(): Int32Array {
    return this.#values
  }

  start(term: number): number {
    return this.#starts.get(term)
  }

  /** How many documents have the term. */
  length(term: number): number {
    return term < 0 ? 0 : this.#lengths.get(term)
  }

  /** Adds a document to a term's list, or replaces its number. */
  set(term: number, document: number, value: number): void {
    if (this.#isLent) this.#takeCopies(this.#end)
    const length = this.#lengths.get(term)
    const start = this.#starts.get(term)
    const isLast = length === 0 || (this.#documents[start + length - 1] as number) < document
    const offset = isLast ? length : this.#offsetOf(term, document)
    if (offset < length && this.#documents[start + offset] === document) {
      this.#values[start + offset] = value
      return
    }
    if (length === this.#capacities.get(term)) this.#moveToLargerBlock(term)
    const at = this.#starts.get(term) + offset
    if (offset < length) {
      const end = this.#starts.get(term) + length
      this.#documents.copyWithin(at + 1, at, end)
      this.#values.copyWithin(at + 1, at, end)
    }
    this.#documents[at] = document
    this.#values[at] = value
    this.#lengths.set(term, length + 1)
  }

  /** Takes a document out of a term's list; nothing happens where it is not in it. */
  delete(term: number, document: number): void {
    const length = this.#lengths.get(term)
    const start = this.#starts.get(term)
    const at = start + this.#offsetOf(term, document)
    if (at >= start + length || this.#documents[at] !== document) return
    if (this.#isLent) this.#takeCopies(this.#end)
    this.#documents.copyWithin(at, at + 1, start + length)
    this.#values.copyWithin(at, at + 1, start + length)
    this.#lengths.set(term, length - 1)
  }

  /** The packed number of a document in a term's list, or 0. */
  valueOf(term: number, document: number): number {
    if (term < 0) return 0
    const start = this.#starts.get(term)
    const at = start + this.#offsetOf(term, document)
    return at < start + this.#lengths.get(term) && this.#documents[at] === document ? (this.#values[at] as number) : 0
  }

  /** Writes the lists of the terms below `termCount` as parts of a saved index, without the room between them. */
  save(to: SavedWriter, name: string, termCount: number): void {
    const lengths = Int32Array.from({ length: termCount }, (_, term) => this.length(term))
    const total = lengths.reduce((sum, length) => sum + length, 0)
    const [documents, values] = [new Int32Array(total), new Int32Array(total)]
    for (let term = 0, end = 0; term < termCount; term++) {
      const [start, length] = [this.start(term), lengths[term] as number]
      documents.set(this.#documents.subarray(start, start + length), end)
      values.set(this.#values.subarray(start, start + length), end)
      end += length
    }
    to.numbers(`${name}.lengths`, lengths)
    to.numbers(`${name}.documents`, documents)
    to.numbers(`${name}.values`, values)
  }

  /** Takes over saved lists in place of its own. */
  restore(from: SavedReader, name: string): void {
    const lengths = from.ints(`${name}.lengths`)
    this.#documents = from.lentInts(`${name}.documents`)
    this.#values = from.lentInts(`${name}.values`)
    this.#isLent = true
    this.#end = this.#documents.length
    this.#starts.restore(startsOf(lengths))
    this.#lengths.restore(lengths)
    this.#capacities.restore(lengths.slice())
  }

  /** Where in its list the document is, or would be. */
  #offsetOf(term: number, document: number): number {
    const start = this.#starts.get(term)
    let low = 0
    let high = this.#lengths.get(term)
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#documents[start + middle] as number) < document) low = middle + 1
      else high = middle
    }
    return low
  }

  #moveToLargerBlock(term: number): void {
    const oldCapacity = this.#capacities.get(term)
    // The next power of two: a list of a saved index stands in a block of just its length.
    const capacity = Math.max(SMALLEST_BLOCK, 2 ** (32 - Math.clz32(oldCapacity)))
    const from = this.#starts.get(term)
    const to = this.#allocate(capacity)
    const length = this.#lengths.get(term)
    this.#documents.copyWithin(to, from, from + length)
    this.#values.copyWithin(to, from, from + length)
    if (oldCapacity > 0) this.#blocksOf(oldCapacity).push(from)
    this.#starts.set(term, to)
    this.#capacities.set(term, capacity)
  }

  #allocate(capacity: number): number {
    const reused = this.#blocksOf(capacity).pop()
    if (reused !== undefined) return reused
    const at = this.#end
    this.#end += capacity
    if (this.#end > this.#documents.length) {
      this.#takeCopies(Math.max(this.#end, Math.ceil(this.#documents.length * 1.5)))
    }
    return at
  }

  #takeCopies(size: number): void {
    this.#documents = copyOf(this.#documents, size)
    this.#values = copyOf(this.#values, size)
    this.#isLent = false
  }

  #blocksOf(capacity: number): number[] {
    const sizeClass = 31 - Math.clz32(capacity)
    this.#freeBlocks[sizeClass] ??= []
    return this.#freeBlocks[sizeClass]
  }
}

function copyOf(items: Int32Array, size: number): Int32Array {
  const copy = new Int32Array(size)
  copy.set(items)
  return copy
}
