import { mkdirSync } from 'node:fs'
import { type Connection, connect, Index, type Table } from '@lancedb/lancedb'
import { type AnalysedTool, CatalogFigures } from '@tooldex/search/engine'
import { hasCode, ToolSearchError } from '@tooldex/search'
import type { LanceOptions } from './options.ts'
import { copyOf, KIND, otherRow, type Row, schemaOf, tableOf } from './rows.ts'

/** Changes with every change of the columns or of what is in them. */
const FORMAT = 5
const TABLE = 'tooldex_catalog'
const STATE_ID = '\u0001state'
export const FIGURES_ID = '\u0001figures'
export const changeId = (revision: number): string => `\u0001change ${revision}`

/** What the row of the state says. */
interface State {
  readonly format: number
  readonly catalog: string
  readonly model: string | null
  readonly dimensions: number
}

/** What one change did to the figures. */
export interface StoredChange {
  readonly from: number
  readonly removed: readonly AnalysedTool[]
  readonly added: readonly AnalysedTool[]
}

/** Opens the table of a catalog; absent where there is none yet and this process only reads. */
export async function openTable(options: LanceOptions): Promise<Table | undefined> {
  const isWriter = options.role === 'writer'
  const connection = await connectTo(options)
  let isThere = false
  try {
    isThere = (await connection.tableNames()).includes(TABLE)
    if (isThere && !(isWriter && options.rebuild === true)) {
      const table = await connection.openTable(TABLE)
      checkState(await readState(table), options)
      return table
    }
  } catch (error) {
    if (hasCode(error, 'INVALID_STORED_CATALOG')) throw error
    throw invalidStored(
      'damaged',
      `${options.at} cannot be read`,
      'delete the folder, or open it with `rebuild`',
      error,
    )
  }
  return isWriter ? createTable(connection, options, isThere) : undefined
}

async function connectTo({ at, role, storage }: LanceOptions): Promise<Connection> {
  try {
    if (role === 'writer' && !at.includes('://')) mkdirSync(at, { recursive: true })
    return await connect(at, storage === undefined ? {} : { storageOptions: { ...storage } })
  } catch (error) {
    throw unwritable(at, error)
  }
}

async function createTable(connection: Connection, options: LanceOptions, isThere: boolean): Promise<Table> {
  const { catalog, model, at } = options
  const dimensions = model?.dimensions ?? 0
  const state: State = { format: FORMAT, catalog, model: model?.id ?? null, dimensions }
  const rows = [stateRow(state, 0), otherRow(FIGURES_ID, KIND.figures, 0, new CatalogFigures().save())]
  try {
    if (isThere) await connection.dropTable(TABLE)
    const table = await connection.createTable(TABLE, tableOf(rows, dimensions), {
      mode: 'create',
      schema: schemaOf(dimensions) as never,
    })
    await table.createIndex('words', { config: WORDS_INDEX() })
    return table
  } catch (error) {
    throw unwritable(at, error)
  }
}

/** Stems are words already: nothing is split, folded or left out. */
const WORDS_INDEX = (): Index =>
  Index.fts({
    baseTokenizer: 'whitespace',
    lowercase: false,
    stem: false,
    removeStopWords: false,
    asciiFolding: false,
    maxTokenLength: 1_000,
    withPosition: false,
  })

/** The rows of the state at a revision. */
export function stateRow(state: State, revision: number): Row {
  return otherRow(STATE_ID, KIND.state, revision, Buffer.from(JSON.stringify(state)))
}

/** The state of an open table, and its revision. */
export async function readState(table: Table): Promise<State & { readonly revision: number }> {
  const [row] = await table.query().where(`kind = ${KIND.state}`).select(['payload', 'revision']).limit(1).toArray()
  if (row === undefined) throw new Error('the row of the state is missing')
  const state = JSON.parse(Buffer.from(copyOf(row.payload)).toString()) as State
  return { ...state, revision: Number(row.revision) }
}

function checkState({ format, catalog, model }: State, { at, catalog: own, model: embedder }: LanceOptions): void {
  const rebuild = 'have the writer open it with `rebuild`'
  if (format > FORMAT) {
    throw invalidStored('newer', `${at} has format ${format}, this version reads ${FORMAT}`, 'use the newer version')
  }
  if (format < FORMAT) throw invalidStored('older', `${at} has format ${format}`, rebuild)
  if (catalog !== own) {
    throw invalidStored(
      'foreign',
      `${at} has the catalog ${JSON.stringify(catalog)}`,
      'give each catalog a folder of its own',
    )
  }
  if (model !== (embedder?.id ?? null)) {
    const [stored, wanted] = [model ?? 'no embedder', embedder?.id ?? 'none']
    throw invalidStored('model', `${at} has vectors of ${stored}, wanted are those of ${wanted}`, rebuild)
  }
}

/**
 * The figures of the table's version and their revision, from those at hand where the changes since then are stored.
 * @throws ToolSearchError INVALID_STORED_CATALOG where parts are missing, as after two processes that wrote at once
 */
export async function readFigures(
  table: Table,
  known: { readonly figures: CatalogFigures; readonly revision: number } | undefined,
): Promise<{ readonly figures: CatalogFigures; readonly revision: number }> {
  const { revision } = await readState(table)
  if (known?.revision === revision) return known
  // A catalog that was begun anew is behind the one that was known.
  let start = (known?.revision ?? 0) > revision ? undefined : known
  let changes = await readChanges(table, start?.revision ?? 0)
  if (start === undefined || changes[0]?.from !== start.revision) {
    start = await readSaved(table)
    changes = changes.filter(({ from }) => from >= (start?.revision ?? 0))
  }
  let at = start.revision
  for (const { from, to, removed, added } of changes) {
    if (from !== at) throw incomplete(`the change from ${at} on is missing`)
    for (const tool of removed) start.figures.remove(tool)
    for (const tool of added) start.figures.add(tool)
    at = to
  }
  if (at !== revision) throw incomplete(`the changes from ${at} to ${revision} are missing`)
  return { figures: start.figures, revision }
}

async function readSaved(table: Table): Promise<{ readonly figures: CatalogFigures; readonly revision: number }> {
  const [row] = await table.query().where(`kind = ${KIND.figures}`).select(['payload', 'revision']).limit(1).toArray()
  if (row === undefined) throw incomplete('the row of the figures is missing')
  try {
    return { figures: CatalogFigures.restore(row.payload as Uint8Array), revision: Number(row.revision) }
  } catch (error) {
    throw incomplete('its figures are damaged', error)
  }
}

async function readChanges(table: Table, after: number): Promise<readonly (StoredChange & { readonly to: number })[]> {
  const filter = `kind = ${KIND.change} AND revision > ${after}`
  const rows = await table.query().where(filter).select(['payload', 'revision']).toArray()
  return rows
    .map((row) => ({ ...parseChange(copyOf(row.payload)), to: Number(row.revision) }))
    .toSorted((a, b) => a.to - b.to)
}

/** A change as bytes. */
export function changeBytes({ from, removed, added }: StoredChange): Uint8Array {
  const packed = (tools: readonly AnalysedTool[]) =>
    tools.map(({ terms, vector, ...rest }) => ({
      ...rest,
      terms: Buffer.from(terms).toString('base64'),
      ...(vector !== undefined && {
        vector: Buffer.from(vector.buffer, vector.byteOffset, vector.length).toString('base64'),
      }),
    }))
  return Buffer.from(JSON.stringify({ from, removed: packed(removed), added: packed(added) }))
}

function parseChange(bytes: Uint8Array): StoredChange {
  const unpacked = (tools: readonly PackedTool[]): AnalysedTool[] =>
    tools.map(({ id, server, traits, terms, vector }) => ({
      id,
      server,
      traits,
      terms: copyOf(Buffer.from(terms, 'base64')),
      ...(vector !== undefined && { vector: new Int8Array(copyOf(Buffer.from(vector, 'base64')).buffer) }),
    }))
  const { from, removed, added } = JSON.parse(Buffer.from(bytes).toString()) as Record<
    'removed' | 'added',
    PackedTool[]
  > & {
    from: number
  }
  return { from, removed: unpacked(removed), added: unpacked(added) }
}

interface PackedTool extends Omit<AnalysedTool, 'terms' | 'vector'> {
  readonly terms: string
  readonly vector?: string
}

/** A vector index pays from here on; smaller tables are compared row by row. */
const INDEXED_VECTORS = 50_000
/** LanceDB indexes vectors of so many dimensions, or of a multiple; others are compared row by row. */
const INDEXED_TOGETHER = 8
/** More lists of vectors than these take minutes to find, and make no search better. */
const MOST_LISTS = 256
/** Of the search for lists: a vector is rarely in another one after more rounds. */
const ROUNDS = 10
/** Versions of the table that a reader may still use are kept for so long. */
const KEPT_MS = 10 * 60_000

/** Compacts the table and brings its indexes up to date. */
export async function tidyTable(table: Table, dimensions: number, tools: number): Promise<void> {
  const known = new Set((await table.listIndices()).flatMap(({ columns }) => columns))
  const wanted: [column: string, config: Index][] = [
    ['server_number', Index.bitmap()],
    ['kind', Index.bitmap()],
    ['id', Index.btree()],
    ['name', Index.btree()],
  ]
  const isIndexed = dimensions > 0 && dimensions % INDEXED_TOGETHER === 0 && tools >= INDEXED_VECTORS
  if (isIndexed) wanted.push(['vector', vectorIndex(tools)])
  for (const [column, config] of wanted) if (!known.has(column)) await table.createIndex(column, { config })
  const cleanupOlderThan = new Date(Date.now() - KEPT_MS)
  try {
    await table.optimize({ cleanupOlderThan })
  } catch (error) {
    if (!isIndexed) throw error
    // LanceDB 0.39 cannot add rows without vectors to some indexes of a million ("ivf_6.lance not found").
    await table.createIndex('vector', { config: vectorIndex(tools) })
    await table.optimize({ cleanupOlderThan })
  }
}

function vectorIndex(tools: number): Index {
  return Index.ivfRq({
    distanceType: 'cosine',
    numPartitions: Math.min(MOST_LISTS, Math.ceil(Math.sqrt(tools))),
    maxIterations: ROUNDS,
  })
}

/** An INVALID_STORED_CATALOG error. */
function invalidStored(problem: string, reason: string, remedy: string, cause?: unknown): ToolSearchError {
  const options = cause === undefined ? undefined : { cause }
  return new ToolSearchError('INVALID_STORED_CATALOG', { problem, reason: `${reason}; ${remedy}`, remedy }, options)
}

function incomplete(reason: string, cause?: unknown): ToolSearchError {
  return invalidStored('damaged', reason, 'have the writer open it with `rebuild`', cause)
}

function unwritable(at: string, cause: unknown): ToolSearchError {
  return invalidStored(
    'unwritable',
    `${at} cannot be written`,
    'check that the folder is writable and the disk is not full',
    cause,
  )
}
