import type { Table } from '../../src/static/table.ts'
import { unitsOf } from '../../src/wordpiece/word-piece.ts'
import { type Matrix, rowOf } from './matrix.ts'

/** The table with signed bytes and one scale for each row. */
export function quantized(id: string, vocabulary: readonly string[], table: Matrix): Table {
  const scales = new Float32Array(table.rows)
  const rows = new Int8Array(table.rows * table.columns)
  for (let piece = 0; piece < table.rows; piece++) {
    const row = rowOf(table, piece)
    const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
    if (largest === 0) continue
    scales[piece] = largest / 127
    rows.set(
      row.map((value) => Math.round((value * 127) / largest)),
      piece * table.columns,
    )
  }
  return { id, dimensions: table.columns, vocabulary: unitsOf(vocabulary.join('\n')), scales, rows }
}
