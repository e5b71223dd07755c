import type { Bags } from './bags.ts'
import { addScaled, type Matrix, rowOf } from './matrix.ts'

/** Words more frequent than this share of all words begin to lose weight. */
const COMMON_SHARE = 1e-3

/**
 * The start of the fit: the teacher's vectors of the single pieces, less their mean, with lower weight for frequent
 * pieces (smooth inverse frequency).
 */
export function startTable(alone: Matrix, bags: Bags): Matrix {
  const table: Matrix = { ...alone, values: alone.values.slice() }
  const mean = new Float32Array(alone.columns)
  for (let piece = 0; piece < alone.rows; piece++) addScaled(mean, rowOf(alone, piece), 1 / alone.rows)
  const shares = sharesOf(bags, alone.rows)
  for (let piece = 0; piece < alone.rows; piece++) {
    const row = rowOf(table, piece)
    addScaled(row, mean, -1)
    const weight = COMMON_SHARE / (COMMON_SHARE + (shares[piece] ?? 0))
    for (let at = 0; at < row.length; at++) row[at] = (row[at] ?? 0) * weight
  }
  return table
}

function sharesOf(bags: Bags, pieces: number): Float32Array {
  const counts = new Float32Array(pieces)
  for (const piece of bags.pieces) counts[piece] = (counts[piece] ?? 0) + 1
  return counts.map((count) => count / Math.max(1, bags.pieces.length))
}
