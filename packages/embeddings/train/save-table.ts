import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readTable, writeTable } from '../src/static/table.ts'
import type { Matrix } from './fit/matrix.ts'
import { quantized } from './fit/quantize.ts'
import { LASTING_SOURCES, type Manifest, sha256Of, sourcesOf } from './manifest.ts'
import type { Options } from './options.ts'

const ID = 'tooldex-static-1'
const FILE = 'static.bin'

/** A finished table and the facts for its manifest. */
export interface FinishedTable {
  readonly vocabulary: readonly string[]
  readonly table: Matrix
  readonly options: Options
  readonly figures: Readonly<Record<string, number>>
}

/** Writes the table and its manifest; returns a line for the log. */
export function saveTable({ vocabulary, table, options, figures }: FinishedTable): string {
  const bytes = writeTable(quantized(ID, vocabulary, table))
  const manifest: Manifest = {
    id: readTable(bytes).id,
    file: FILE,
    bytes: bytes.length,
    sha256: sha256Of(bytes),
    rows: table.rows,
    dimensions: table.columns,
    seed: options.seed,
    command: commandOf(options),
    sources: [...LASTING_SOURCES, ...options.folders.flatMap(sourcesOf)],
    figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(4))])),
  }
  mkdirSync(options.out, { recursive: true })
  writeFileSync(join(options.out, FILE), bytes)
  writeFileSync(join(options.out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  return `${FILE}: ${manifest.bytes} bytes, ${manifest.id}`
}

/** Without scratch folder and threads, which change nothing in the result. */
function commandOf({ folders, excluded, seed }: Options): string {
  const excludes = excluded.map((file) => `--exclude ${file}`)
  return ['npm run train:table --', ...folders, ...excludes, `--seed ${seed}`].join(' ')
}
