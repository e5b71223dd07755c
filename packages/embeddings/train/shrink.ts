// npm run train:small-table: makes table/small.bin from table/static.bin, for browsers and edge runtimes.
import { readFileSync, writeFileSync } from 'node:fs'
import { readTable, writeTable } from '../src/static/table.ts'
import { type Matrix, projected, rowOf, zeros } from './fit/matrix.ts'
import { principalAxes } from './fit/principal-axes.ts'
import { quantized } from './save-table.ts'

/** A multiple of the vector kernel's step of 16. */
const DIMENSIONS = 96
const ID = 'tooldex-static-1-small'

const folder = new URL('../table/', import.meta.url)
const table = readTable(readFileSync(new URL('static.bin', folder)))
const whole: Matrix = zeros(table.scales.length, table.dimensions)
for (let piece = 0; piece < whole.rows; piece++) {
  const row = rowOf(whole, piece)
  for (let nth = 0; nth < row.length; nth++) {
    row[nth] = (table.rows[piece * row.length + nth] ?? 0) * (table.scales[piece] ?? 0)
  }
}
const pieces = decoded(table.vocabulary)
const small = projected(whole, principalAxes(whole, DIMENSIONS))
const bytes = writeTable(quantized(ID, pieces.split('\n'), small))
writeFileSync(new URL('small.bin', folder), bytes)
process.stdout.write(`small.bin: ${bytes.length} bytes, ${readTable(bytes).id}\n`)

function decoded(units: Uint16Array): string {
  return new TextDecoder('utf-16le').decode(units)
}
