import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { type Connection, connect, Index, type Table } from '@lancedb/lancedb'
import { hasCode, type ToolSearchError } from '@tooldex/search'
import { CatalogFigures } from '@tooldex/search/engine'
import { invalidStored } from './invalid-stored.ts'
import type { LanceOptions } from './options.ts'
import { copyOf, KIND, otherRow, type Row, schemaOf, tableOf } from './rows.ts'
import { figureRows } from './stored-figures.ts'

/** Changes with every change of the columns or of what is in them. */
const FORMAT = 6
const TABLE = 'tooldex_catalog'
const TRIAL_TABLE = 'tooldex_trial'
/** More than a change of a few thousand tools takes. */
const TRIAL_BYTES = 8 * 1024 * 1024
const STATE_ID = '\u0001state'

/** What the row of the state says. */
interface State {
  readonly format: number
  readonly catalog: string
  readonly model: string | null
  readonly dimensions: number
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
    throw damagedCatalog(options.at, error)
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
  const rows = [stateRow(state, 0), ...figureRows({ figures: new CatalogFigures(), revision: 0 })]
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

/** A vector index pays from here on; smaller tables are compared row by row. */
const INDEXED_VECTORS = 50_000
/** LanceDB indexes vectors of so many dimensions, or of a multiple; others are compared row by row. */
const INDEXED_TOGETHER = 8
/** More lists of vectors than these take minutes to find, and make no search better. */
const MOST_LISTS = 256
/** Of the search for lists: a vector is rarely in another one after more rounds. */
const ROUNDS = 10
/** Vectors of each list that these rounds look at. */
const SAMPLED = 32
/** Versions of the table that a reader may still use are kept for so long. */
const KEPT_MS = 10 * 60_000

/** Compacts the table, brings its indexes up to date and adds those that are missing: a new index need not be compacted. */
export async function tidyTable(table: Table, dimensions: number, tools: number): Promise<void> {
  const known = new Set((await table.listIndices()).flatMap(({ columns }) => columns))
  const cleanupOlderThan = new Date(Date.now() - KEPT_MS)
  try {
    await table.optimize({ cleanupOlderThan })
  } catch (error) {
    if (!known.has('vector')) throw error
    // LanceDB 0.39 cannot add rows without vectors to some indexes of a million ("ivf_6.lance not found").
    await table.createIndex('vector', { config: vectorIndex(tools) })
    await table.optimize({ cleanupOlderThan })
  }
  for (const [column, config] of indexesFor(dimensions, tools)) {
    if (!known.has(column)) await table.createIndex(column, { config })
  }
}

/** Makes all indexes anew, whatever became of the ones that are there. */
export async function renewIndexes(table: Table, dimensions: number, tools: number): Promise<void> {
  for (const [column, config] of indexesFor(dimensions, tools)) await table.createIndex(column, { config })
}

function indexesFor(dimensions: number, tools: number): readonly (readonly [column: string, config: Index])[] {
  const isIndexed = dimensions > 0 && dimensions % INDEXED_TOGETHER === 0 && tools >= INDEXED_VECTORS
  return [
    ['words', WORDS_INDEX()],
    ['server_number', Index.bitmap()],
    ['kind', Index.bitmap()],
    ['id', Index.btree()],
    ['name', Index.btree()],
    ...(isIndexed ? [['vector', vectorIndex(tools)] as const] : []),
  ]
}

/** Reads all that is stored: LanceDB fails at what is damaged. */
export async function readEveryRow(table: Table): Promise<void> {
  for await (const _ of table.query()) continue
}

function vectorIndex(tools: number): Index {
  return Index.ivfRq({
    distanceType: 'cosine',
    numPartitions: Math.min(MOST_LISTS, Math.ceil(Math.sqrt(tools))),
    maxIterations: ROUNDS,
    sampleRate: SAMPLED,
  })
}

/** Whether tables can be written to the place and read from it, in a table that is deleted again. */
export async function isPlaceUsable(options: LanceOptions): Promise<boolean> {
  try {
    const connection = await connectTo(options)
    const payload = randomBytes(TRIAL_BYTES)
    const trial = await connection.createTable(TRIAL_TABLE, tableOf([otherRow('', KIND.state, 0, payload)], 0), {
      mode: 'overwrite',
      schema: schemaOf(0) as never,
    })
    const [row] = await trial.query().select(['payload']).toArray()
    trial.close()
    await connection.dropTable(TRIAL_TABLE)
    return payload.equals(row?.payload as Uint8Array)
  } catch {
    return false
  }
}

/** The error of a place where other tables can be read and written, but not this one. */
export function damagedCatalog(at: string, cause: unknown): ToolSearchError {
  return invalidStored('damaged', `${at} cannot be read`, 'delete the folder, or open it with `rebuild`', cause)
}

function unwritable(at: string, cause: unknown): ToolSearchError {
  return invalidStored(
    'unwritable',
    `${at} cannot be written`,
    'check that the folder is writable and the disk is not full',
    cause,
  )
}
