import type { SavedReader, SavedWriter } from '../saved/saved-parts.ts'
import { BLOCK_ROWS, type DotProducts, dotProducts, ROW_STEP } from './dot-products.ts'
import { inverseLength } from './quantise.ts'

/**
 * A cosine is kept as a whole number of this many parts. Sums of whole numbers are exact, so means and deviations do
 * not depend on the order in which tools came.
 */
export const COSINE_ONE = 65_536

/** Exact search among vectors of 8-bit numbers, by slot. Slots are the caller's: it reuses them after deletions. */
export class VectorRows {
  readonly dimensions: number
  readonly #stride: number
  readonly #products: DotProducts
  /** By slot: 1 / length; 0 for an empty one. */
  #inverse = new Float64Array(0)

  constructor(dimensions: number, products?: DotProducts) {
    this.dimensions = dimensions
    this.#stride = strideOf(dimensions)
    this.#products = products ?? dotProducts(this.#stride)
  }

  /** Puts a vector into a slot, in place of what was there. */
  set(slot: number, vector: Int8Array): void {
    this.#reserve(slot + 1)
    const { rows } = this.#products
    rows.fill(0, slot * this.#stride, (slot + 1) * this.#stride)
    rows.set(vector, slot * this.#stride)
    this.#inverse[slot] = inverseLength(vector)
  }

  /** Empties a slot; it is then near nothing. */
  delete(slot: number): void {
    if (slot < this.#inverse.length) this.#inverse[slot] = 0
  }

  /** Writes the slots below `size` as parts of a saved index. */
  save(to: SavedWriter, name: string, size: number): void {
    this.#reserve(size)
    to.numbers(`${name}.rows`, this.#products.rows.slice(0, size * this.#stride))
    to.numbers(`${name}.inverse`, this.#inverse.slice(0, size))
  }

  /** Takes over saved slots in place of its own. */
  restore(from: SavedReader, name: string): void {
    const inverse = from.floats(`${name}.inverse`)
    this.#reserve(inverse.length)
    this.#products.rows.set(from.smallInts(`${name}.rows`))
    this.#inverse.set(inverse)
  }

  /**
   * Writes the cosines of a query with the slots below `end`, in parts of `COSINE_ONE`, by slot; 0 for slots that
   * `visible` does not have.
   */
  cosines(query: Int8Array, end: number, visible: Uint8Array | undefined, out: Int32Array): void {
    const filled = Math.min(end, this.#inverse.length)
    out.fill(0, visible === undefined ? filled : 0, end)
    this.#products.setQuery(query)
    const scale = COSINE_ONE * inverseLength(query)
    for (let start = 0; start < filled; ) {
      const count = visible === undefined ? Math.min(BLOCK_ROWS, filled - start) : runLength(visible, start, filled)
      if (count > 0) out.set(this.#products.multiply(start, count, this.#inverse, scale).subarray(0, count), start)
      start += Math.max(count, 1)
    }
  }

  #reserve(count: number): void {
    if (count <= this.#inverse.length) return
    this.#products.reserve(count)
    const grown = new Float64Array(this.#products.rows.length / this.#stride)
    grown.set(this.#inverse)
    this.#inverse = grown
  }
}

/** The length of a row: the dimensions, padded for the kernel. */
export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / ROW_STEP) * ROW_STEP
}

/** How many slots from `start` on are visible without a gap, up to a block. */
function runLength(visible: Uint8Array, start: number, end: number): number {
  const most = Math.min(start + BLOCK_ROWS, end)
  let at = start
  while (at < most && visible[at] === 1) at++
  return at - start
}
