import { nearest } from '@tooldex/contract'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import type { Judgement } from '@tooldex/search/relevance'
import { GatewayError } from '../../errors.ts'

/** A query with known relevant tools. */
export interface JudgedQuery extends Judgement {
  /** One or more intents. */
  readonly queries: readonly string[]
}

/** The tools that queries may name as relevant. */
export interface KnownTools {
  readonly eligible: ReadonlySet<string>
  /** The whole catalog, to distinguish forbidden tools from missing ones. */
  readonly all: ReadonlySet<string>
}

const MOST_PROBLEMS = 20
const REMEDY =
  'A row is one line such as {"query": "file a bug", "relevant": ["tracker:create_issue"]}; `tooldex find` shows keys'

/**
 * Reads a JSON Lines text.
 * @throws GatewayError INVALID_ARGUMENTS whose `details.problems` names every bad row by file and line.
 */
export function readQueries(file: string, text: string, tools: KnownTools): readonly JudgedQuery[] {
  const problems: string[] = []
  const rows = text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, index) => {
      if (line.trim() === '') return []
      const row = readRow(line, tools)
      if (!Array.isArray(row)) return [row]
      problems.push(...row.map((problem) => `${file}:${index + 1} ${problem}`))
      return []
    })
  if (problems.length > 0) throw invalidRows(file, problems)
  if (rows.length === 0) throw new GatewayError('INVALID_ARGUMENTS', { reason: `${file} has no rows`, remedy: REMEDY })
  return rows
}

function invalidRows(file: string, problems: readonly string[]): GatewayError {
  const more = problems.length - MOST_PROBLEMS
  const shown = more > 0 ? [...problems.slice(0, MOST_PROBLEMS), `and ${more} more`] : problems
  const reason = `${file} has ${problems.length === 1 ? 'one problem' : `${problems.length} problems`}`
  return new GatewayError('INVALID_ARGUMENTS', { reason, remedy: REMEDY, problems: shown })
}

/** A row, or its problems. */
function readRow(line: string, tools: KnownTools): JudgedQuery | string[] {
  const row = parseObject(line)
  if (row === undefined) return ['is not a JSON object']
  const queries = texts(row['query'])
  const relevant = texts(row['relevant'])
  const problems = [
    ...(queries === undefined ? ['query must be a text, or a list of texts'] : []),
    ...(relevant === undefined ? ['relevant must be a list of tool keys'] : []),
    ...(relevant ?? []).flatMap((key) => unknownTool(key, tools)),
  ]
  return problems.length > 0 ? problems : { queries: queries ?? [], relevant: new Set(relevant) }
}

function unknownTool(key: string, { eligible, all }: KnownTools): string[] {
  if (eligible.has(key)) return []
  if (all.has(key)) return [`the tool ${JSON.stringify(key)} is not available through this endpoint`]
  const meant = nearest(key, eligible)
  return [
    `there is no tool ${JSON.stringify(key)}${meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`}`,
  ]
}

/** One text or a list of at least one, none of them blank. */
function texts(value: unknown): readonly string[] | undefined {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  const isGood = list.length > 0 && list.every((text) => typeof text === 'string' && text.trim() !== '')
  return isGood ? (list as readonly string[]) : undefined
}

function parseObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
