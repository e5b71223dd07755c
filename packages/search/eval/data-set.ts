import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { IndexedTool } from '../src/tool/tool.ts'
import type { Judgement } from './metrics.ts'
import { InputError } from './input-error.ts'
import { readJsonLines, type Row } from './json-lines.ts'

/** A question whose answer is known. */
export interface EvalQuery extends Judgement {
  readonly id: string
  /** One or more intents. */
  readonly queries: readonly string[]
  /** The kind of query, for break-downs; absent in most public sets. */
  readonly kind?: string
  /** The task that this is one of several wordings of. */
  readonly task?: string
}

/** A question that no tool of the set answers. */
export type AbsentQuery = Pick<EvalQuery, 'id' | 'queries' | 'kind'>

/** Tools and questions about them. */
export interface DataSet {
  /** The folder's base name. */
  readonly name: string
  readonly tools: readonly IndexedTool[]
  readonly queries: readonly EvalQuery[]
  /** Empty for most sets. */
  readonly absent: readonly AbsentQuery[]
}

/**
 * Reads `tools.jsonl` and `queries.jsonl` of a folder; queries without tools of their own are about those of the folder
 * above. Rows of `labels.jsonl`, where there is one, with `present: false` are questions that no tool answers.
 * @throws InputError naming file, line and remedy.
 */
export function readDataSet(folder: string): DataSet {
  const path = resolve(folder)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new InputError(`${folder}: no such folder. Give a folder that holds tools.jsonl and queries.jsonl.`)
  }
  const own = join(path, 'tools.jsonl')
  const above = join(path, '..', 'tools.jsonl')
  const tools = readTools(!existsSync(own) && existsSync(above) ? above : own)
  const ids = new Set(tools.map((tool) => tool.id))
  const queries = readQueries(join(path, 'queries.jsonl'), ids)
  const labels = join(path, 'labels.jsonl')
  return { name: basename(path), tools, queries, absent: existsSync(labels) ? readAbsent(labels) : [] }
}

/** False for a file, and for a folder without queries; what does not exist is a mistake that reading will tell. */
export function mayBeDataSet(path: string): boolean {
  return !existsSync(path) || existsSync(join(path, 'queries.jsonl'))
}

function readTools(file: string): IndexedTool[] {
  const seen = new Set<string>()
  return rowsOf(file).map((row) => {
    const tool = toTool(row)
    if (seen.has(tool.id))
      throw row.problem(`the id ${JSON.stringify(tool.id)} occurs twice`, 'Give each tool its own id.')
    seen.add(tool.id)
    return tool
  })
}

function toTool(row: Row): IndexedTool {
  const description = row.optionalString('description')
  const namespace = row.optionalString('server')
  const namespaceDescription = row.optionalString('serverDescription')
  const inputSchema = row.optionalObject('inputSchema')
  return {
    id: row.string('id'),
    name: row.string('name'),
    ...(description !== undefined && { description }),
    ...(namespace !== undefined && { namespace }),
    ...(namespaceDescription !== undefined && { namespaceDescription }),
    ...(inputSchema !== undefined && { inputSchema }),
  }
}

function readQueries(file: string, toolIds: ReadonlySet<string>): EvalQuery[] {
  return rowsOf(file).map((row) => {
    const relevant = new Set(row.strings('relevant'))
    const grades = gradesOf(row)
    for (const id of [...relevant, ...(grades?.keys() ?? [])]) {
      if (toolIds.has(id)) continue
      throw row.problem(`no tool has the id ${JSON.stringify(id)}`, 'Correct the id, or add the tool to tools.jsonl.')
    }
    const kind = row.optionalString('kind')
    const task = row.optionalString('task')
    return {
      id: row.string('id'),
      queries: row.strings('query'),
      relevant,
      ...(grades !== undefined && { grades }),
      ...(kind !== undefined && { kind }),
      ...(task !== undefined && { task }),
    }
  })
}

function readAbsent(file: string): AbsentQuery[] {
  return rowsOf(file).flatMap((row) => {
    if (row.boolean('present')) return []
    const kind = row.optionalString('kind')
    return [{ id: row.string('id'), queries: row.strings('query'), ...(kind !== undefined && { kind }) }]
  })
}

function gradesOf(row: Row): ReadonlyMap<string, number> | undefined {
  const grades = row.optionalObject('grades')
  if (grades === undefined) return undefined
  return new Map(
    Object.entries(grades).map(([id, grade]) => {
      if (typeof grade === 'number' && grade >= 0) return [id, grade]
      throw row.problem(`the grade of ${JSON.stringify(id)} is not a number from 0 up`, 'Give 0, 1 or 2.')
    }),
  )
}

function rowsOf(file: string): readonly Row[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new InputError(`${file}: cannot be read. A data set is a folder with tools.jsonl and queries.jsonl.`, {
      cause,
    })
  }
  const rows = readJsonLines(file, text)
  if (rows.length === 0) throw new InputError(`${file}: has no rows. Put one JSON object on each line.`)
  return rows
}
