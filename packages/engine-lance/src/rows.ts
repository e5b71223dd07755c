import type { AnalysedTool, ToolText } from '@tooldex/search/engine'
import * as arrow from 'apache-arrow'

/** What a row is. Everything that belongs to one revision is in one table, because only one table changes at once. */
export const KIND = { tool: 0, removed: 1, state: 2, change: 3, figures: 4 } as const

const NO_SERVER = -1

/** A row of the table, as it is written. */
export interface Row {
  readonly id: string
  readonly kind: number
  readonly revision: number
  /** The server as `CatalogFigures` counts it, to filter by; −1 for a row that is no tool. */
  readonly serverNumber: number
  readonly traits: number
  /** The folded name, to find a tool by it. */
  readonly name: string
  /** The stems, as often as they weigh. */
  readonly words: string
  /** A tool with everything, because each further column takes as long to read; or the bytes of another kind of row. */
  readonly payload: Uint8Array
  readonly vector: Int8Array | undefined
}

/** The columns from which a tool is read again. */
export const TOOL_COLUMNS = ['payload']

/** The columns of the table for vectors of so many dimensions; 0 for none. */
export function schemaOf(dimensions: number): arrow.Schema {
  const column = (name: string, type: arrow.DataType, nullable = false): arrow.Field =>
    new arrow.Field(name, type, nullable)
  return new arrow.Schema([
    column('id', new arrow.Utf8()),
    column('kind', new arrow.Int32()),
    column('revision', new arrow.Float64()),
    column('server_number', new arrow.Int32()),
    column('traits', new arrow.Int32()),
    column('name', new arrow.Utf8()),
    column('words', new arrow.Utf8()),
    column('payload', new arrow.Binary()),
    ...(dimensions === 0 ? [] : [column('vector', vectorType(dimensions), true)]),
  ])
}

function vectorType(dimensions: number): arrow.FixedSizeList {
  return new arrow.FixedSizeList(dimensions, new arrow.Field('item', new arrow.Float32(), true))
}

/** Rows as a table of columns. */
export function tableOf(rows: readonly Row[], dimensions: number): arrow.Table {
  const column = <Type extends arrow.DataType>(type: Type, valueOf: (row: Row) => unknown): arrow.Vector =>
    arrow.vectorFromArray(rows.map(valueOf) as never, type as never)
  const schema = schemaOf(dimensions)
  const columns: Record<string, arrow.Vector> = {
    id: column(new arrow.Utf8(), ({ id }) => id),
    kind: column(new arrow.Int32(), ({ kind }) => kind),
    revision: column(new arrow.Float64(), ({ revision }) => revision),
    server_number: column(new arrow.Int32(), ({ serverNumber }) => serverNumber),
    traits: column(new arrow.Int32(), ({ traits }) => traits),
    name: column(new arrow.Utf8(), ({ name }) => name),
    words: column(new arrow.Utf8(), ({ words }) => words),
    payload: column(new arrow.Binary(), ({ payload }) => payload),
  }
  if (dimensions > 0) columns['vector'] = vectorColumn(rows, dimensions)
  const data = arrow.makeData({
    type: new arrow.Struct(schema.fields),
    length: rows.length,
    nullCount: 0,
    children: schema.fields.map(({ name }) => (columns[name] as arrow.Vector).data[0] as arrow.Data),
  })
  return new arrow.Table(schema, new arrow.RecordBatch(schema, data))
}

/** Unit vectors; none for a row without one, so that it is near nothing. */
function vectorColumn(rows: readonly Row[], dimensions: number): arrow.Vector {
  const values = new Float32Array(rows.length * dimensions)
  const valid = new Uint8Array(Math.ceil(rows.length / 8))
  let without = 0
  for (const [nth, { vector }] of rows.entries()) {
    let squares = 0
    for (let i = 0; vector !== undefined && i < dimensions; i++) squares += (vector[i] as number) ** 2
    if (vector === undefined || squares === 0) {
      without++
      continue
    }
    valid[nth >> 3] = (valid[nth >> 3] as number) | (1 << (nth & 7))
    const scale = 1 / Math.sqrt(squares)
    for (let i = 0; i < dimensions; i++) values[nth * dimensions + i] = (vector[i] as number) * scale
  }
  const child = arrow.makeData({ type: new arrow.Float32(), length: values.length, data: values })
  return arrow.makeVector(
    arrow.makeData({ type: vectorType(dimensions), length: rows.length, nullCount: without, nullBitmap: valid, child }),
  )
}

/** The row of a tool. */
export function toolRow(
  tool: AnalysedTool,
  { name, stems }: ToolText,
  revision: number,
  serverNumber = NO_SERVER,
): Row {
  const words: string[] = []
  for (const [stem, times] of stems) for (let n = 0; n < times; n++) words.push(stem)
  const { id, traits, vector } = tool
  const found = { name, words: words.join(' '), serverNumber }
  return { id, kind: KIND.tool, revision, traits, payload: packTool(tool), vector, ...found }
}

/** A row that is no tool: no search finds it, because it has neither words nor a vector. */
export function otherRow(id: string, kind: number, revision: number, payload: Uint8Array = new Uint8Array(0)): Row {
  const nothing = { serverNumber: NO_SERVER, traits: 0, name: '', words: '', vector: undefined }
  return { id, kind, revision, payload, ...nothing }
}

/** Before id, server, vector and words of a packed tool: the lengths of the first three, and the traits. */
const HEADER = 4

function packTool({ id, server, traits, vector, terms }: AnalysedTool): Uint8Array {
  const [idBytes, serverBytes] = [Buffer.from(id), Buffer.from(server)]
  const vectorBytes = vector === undefined ? [] : [new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)]
  const header = Uint32Array.of(idBytes.length, serverBytes.length, vector?.length ?? NO_VECTOR, traits)
  return Buffer.concat([Buffer.from(header.buffer), idBytes, serverBytes, ...vectorBytes, terms])
}

const NO_VECTOR = 0xffff_ffff

/** A tool as it was written. */
export function toolOf(row: Readonly<Record<string, unknown>>): AnalysedTool {
  const bytes = copyOf(row['payload'])
  const [idLength = 0, serverLength = 0, vectorLength = 0, traits = 0] = new Uint32Array(bytes.buffer, 0, HEADER)
  let at = HEADER * Uint32Array.BYTES_PER_ELEMENT
  const next = (length: number): Uint8Array => bytes.subarray(at, (at += length))
  const text = (length: number): string => Buffer.from(next(length)).toString()
  const [id, server] = [text(idLength), text(serverLength)]
  const vector = vectorLength === NO_VECTOR ? undefined : next(vectorLength)
  const tool = { id, server, traits, terms: next(bytes.length - at) }
  if (vector === undefined) return tool
  return { ...tool, vector: new Int8Array(vector.buffer, vector.byteOffset, vector.length) }
}

/** Bytes of their own: those of an answer keep the whole answer in memory. */
export function copyOf(bytes: unknown): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes as Uint8Array)
}
