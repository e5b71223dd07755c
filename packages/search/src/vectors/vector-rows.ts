import type { SavedReader, SavedWriter } from '../saved/saved-parts.ts'
import { BLOCK_ROWS, type DotProducts, dotProducts, MOST_QUERIES, ROW_STEP } from './dot-products.ts'
import { inverseLength } from './quantise.ts'

/**
 * A cosine is kept as a whole number of this many parts. Sums of whole numbers are exact, so means and deviations do
 * not depend on the order in which tools came.
 */
export const COSINE_ONE = 65_536

/** The clauses of a query, and where the cosines of the nearest one are written, by slot. */
export interface Clauses {
  readonly queries: readonly Int8Array[]
  readonly nearest: Int32Array
}

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
   * `visible` does not have. With clauses, those of the nearest clause as well: each vector is read once for all.
   */
  cosines(query: Int8Array, end: number, visible: Uint8Array | undefined, out: Int32Array, clauses?: Clauses): void {
    const filled = Math.min(end, this.#inverse.length)
    const compared = (vector: Int8Array, to: Int32Array, isFirst: boolean): Compared => ({
      ...{ vector, out: to, isFirst },
      scale: COSINE_ONE * inverseLength(vector),
    })
    const all = [compared(query, out, true)]
    if (clauses !== undefined) {
      all.push(...clauses.queries.map((clause, nth) => compared(clause, clauses.nearest, nth === 0)))
    }
    for (const one of all) one.out.fill(0, visible === undefined ? filled : 0, end)
    for (let from = 0; from < all.length; from += MOST_QUERIES) {
      this.#compare(all.slice(from, from + MOST_QUERIES), filled, visible)
    }
  }

  #compare(all: readonly Compared[], filled: number, visible: Uint8Array | undefined): void {
    this.#products.setQueries(all.map(({ vector }) => vector))
    for (let start = 0; start < filled; ) {
      const count = visible === undefined ? Math.min(BLOCK_ROWS, filled - start) : runLength(visible, start, filled)
      for (let nth = 0; count > 0 && nth < all.length; nth++) {
        const one = all[nth] as Compared
        write(one, start, this.#products.multiply(nth, start, count, this.#inverse, one.scale), count)
        if (visible !== undefined) hide(one.out, start, count, visible)
      }
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

/** A vector that rows are compared with. */
interface Compared {
  readonly vector: Int8Array
  readonly scale: number
  readonly out: Int32Array
  /** The first that is written to `out`; of several the nearest counts. */
  readonly isFirst: boolean
}

/** Writes the cosines of some slots, or raises what is there to them. */
function write({ out, isFirst }: Compared, start: number, cosines: Int32Array, count: number): void {
  if (isFirst) return out.set(cosines.subarray(0, count), start)
  for (let at = 0; at < count; at++) {
    const cosine = cosines[at] as number
    if (cosine > (out[start + at] as number)) out[start + at] = cosine
  }
}

/** The length of a row: the dimensions, padded for the kernel. */
export function strideOf(dimensions: number): number {
  return Math.ceil(dimensions / ROW_STEP) * ROW_STEP
}

/** A gap of so many slots costs less to compare and hide than to begin anew after it. */
const NARROW_GAP = 8

/** How many slots from `start` on, the last one visible, have no wide gap among them, up to a block. */
function runLength(visible: Uint8Array, start: number, end: number): number {
  const most = Math.min(start + BLOCK_ROWS, end)
  let length = 0
  for (let at = start; at < most && at - start - length <= NARROW_GAP; at++) {
    if (visible[at] === 1) length = at - start + 1
  }
  return length
}

function hide(out: Int32Array, start: number, count: number, visible: Uint8Array): void {
  for (let slot = start; slot < start + count; slot++) if (visible[slot] !== 1) out[slot] = 0
}
