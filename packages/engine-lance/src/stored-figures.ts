import type { Table } from '@lancedb/lancedb'
import { type AnalysedTool, CatalogFigures } from '@tooldex/search/engine'
import { invalidStored } from './invalid-stored.ts'
import { copyOf, KIND, otherRow, type Row } from './rows.ts'

/** Figures of a million tools take some hundred megabytes: they are written and read in parts, each in a row of its own. */
const PART_BYTES = 4 * 1024 * 1024

/** Figures, and the revision of the catalog that they are of. */
export interface Known {
  readonly figures: CatalogFigures
  readonly revision: number
}

/** What one change did to the figures. */
interface StoredChange {
  readonly from: number
  readonly removed: readonly AnalysedTool[]
  readonly added: readonly AnalysedTool[]
}

/** The rows of figures as they are at a revision. */
export function figureRows({ figures, revision }: Known): readonly Row[] {
  const bytes = figures.save()
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES))
  return Array.from({ length: parts }, (_, part) => {
    const start = part * PART_BYTES
    return otherRow(partId(part, parts), KIND.figures, revision, bytes.subarray(start, start + PART_BYTES))
  })
}

function partId(part: number, parts: number): string {
  return `\u0001figures ${part + 1} of ${parts}`
}

/** The row of a change, from which readers bring the figures at hand up to date. */
export function changeRow(change: StoredChange, to: number): Row {
  return otherRow(`\u0001change ${to}`, KIND.change, to, changeBytes(change))
}

/**
 * The figures of a revision, from those at hand where the changes since then are stored.
 * @throws ToolSearchError INVALID_STORED_CATALOG where parts are missing, as after two processes that wrote at once
 */
export async function readFigures(table: Table, revision: number, known: Known | undefined): Promise<Known> {
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

/** The newest figures that are stored; parts of older ones may be left. */
async function readSaved(table: Table): Promise<Known> {
  const rows = await table.query().where(`kind = ${KIND.figures}`).select(['id', 'revision']).withRowId().toArray()
  const revision = Math.max(...rows.map((row) => Number(row.revision)))
  const newest = new Map(
    rows.filter((row) => Number(row.revision) === revision).map(({ id, _rowid }) => [id as string, _rowid as bigint]),
  )
  const [[anyId = ''] = []] = newest
  const parts = Number(anyId.split(' ').at(-1))
  const bytes = new Uint8Array(parts * PART_BYTES)
  let end = 0
  for (let part = 0; part < parts; part++) {
    const payload = await payloadOf(table, newest.get(partId(part, parts)))
    bytes.set(payload, end)
    end += payload.length
  }
  try {
    return { figures: CatalogFigures.restore(bytes.subarray(0, end)), revision }
  } catch (error) {
    throw incomplete('its figures are damaged', error)
  }
}

async function payloadOf(table: Table, rowId: bigint | undefined): Promise<Uint8Array> {
  if (rowId === undefined) throw incomplete('a part of its figures is missing')
  const [row] = await table.takeRowIds([rowId]).select(['payload']).toArray()
  return row?.payload as Uint8Array
}

async function readChanges(table: Table, after: number): Promise<readonly (StoredChange & { readonly to: number })[]> {
  const filter = `kind = ${KIND.change} AND revision > ${after}`
  const rows = await table.query().where(filter).select(['payload', 'revision']).toArray()
  return rows
    .map((row) => ({ ...parseChange(copyOf(row.payload)), to: Number(row.revision) }))
    .toSorted((a, b) => a.to - b.to)
}

function changeBytes({ from, removed, added }: StoredChange): Uint8Array {
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

function incomplete(reason: string, cause?: unknown) {
  return invalidStored('damaged', reason, 'have the writer open it with `rebuild`', cause)
}
