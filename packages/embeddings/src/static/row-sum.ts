import { UNKNOWN_PIECE } from '../wordpiece/word-piece.ts'
import type { Table } from './table.ts'

/** Rows that are added in one pass: reading and writing the sum costs as much as a row does. */
const ROWS_AT_ONCE = 4

/** Adds up rows of a table. Reuses its buffers, so that it must not be used concurrently. */
export class RowSum {
  readonly #table: Table
  readonly #sum: Float64Array
  /** By word piece: how often the current text has it; all 0 between texts. */
  readonly #times: Int32Array
  /** The distinct pieces of the current text and their weights; both longer than the text has pieces. */
  #distinct = new Int32Array(256)
  #weights = new Float64Array(256)
  #count = 0

  constructor(table: Table) {
    this.#table = table
    this.#sum = new Float64Array(table.dimensions)
    this.#times = new Int32Array(table.scales.length)
  }

  /** The sum of the rows of these pieces, normalised to length 1; the zero vector for unknown words only. */
  of(pieces: readonly number[]): Float32Array {
    this.#reserve(pieces.length + ROWS_AT_ONCE)
    this.#note(pieces)
    this.#weigh()
    this.#sum.fill(0)
    for (let first = 0; first < this.#count; first += ROWS_AT_ONCE) this.#addFour(first)
    return unit(this.#sum)
  }

  #reserve(size: number): void {
    if (size <= this.#distinct.length) return
    this.#distinct = new Int32Array(2 * size)
    this.#weights = new Float64Array(2 * size)
  }

  /** Collects the known pieces in order of first occurrence, with their counts. */
  #note(pieces: readonly number[]): void {
    const times = this.#times
    const distinct = this.#distinct
    this.#count = 0
    for (let at = 0; at < pieces.length; at++) {
      const piece = pieces[at] as number
      if (piece === UNKNOWN_PIECE) continue
      const before = times[piece] as number
      times[piece] = before + 1
      if (before === 0) distinct[this.#count++] = piece
    }
  }

  /** The weight of each piece, padded to whole passes with a row of weight 0. */
  #weigh(): void {
    const { scales } = this.#table
    const times = this.#times
    const distinct = this.#distinct
    const weights = this.#weights
    for (let nth = 0; nth < this.#count; nth++) {
      const piece = distinct[nth] as number
      // A word that occurs three times does not count three times as much.
      weights[nth] = (scales[piece] as number) * (1 + Math.log(times[piece] as number))
      times[piece] = 0
    }
    for (; this.#count % ROWS_AT_ONCE !== 0; this.#count++) {
      distinct[this.#count] = 0
      weights[this.#count] = 0
    }
  }

  #addFour(first: number): void {
    const { rows } = this.#table
    const distinct = this.#distinct
    const weights = this.#weights
    const sum = this.#sum
    const size = sum.length
    const a = (distinct[first] as number) * size
    const b = (distinct[first + 1] as number) * size
    const c = (distinct[first + 2] as number) * size
    const d = (distinct[first + 3] as number) * size
    const ofA = weights[first] as number
    const ofB = weights[first + 1] as number
    const ofC = weights[first + 2] as number
    const ofD = weights[first + 3] as number
    for (let nth = 0; nth < size; nth++) {
      sum[nth] =
        (sum[nth] as number) +
        ofA * (rows[a + nth] as number) +
        ofB * (rows[b + nth] as number) +
        ofC * (rows[c + nth] as number) +
        ofD * (rows[d + nth] as number)
    }
  }
}

function unit(sum: Float64Array): Float32Array {
  const vector = new Float32Array(sum.length)
  let square = 0
  for (let nth = 0; nth < sum.length; nth++) square += (sum[nth] as number) * (sum[nth] as number)
  if (square === 0) return vector
  const factor = 1 / Math.sqrt(square)
  for (let nth = 0; nth < sum.length; nth++) vector[nth] = (sum[nth] as number) * factor
  return vector
}
