import { MatchQuery, type Query, type Table, type VectorQuery } from '@lancedb/lancedb'
import { allowedByRule, type AnalysedTool, type ToolRule, type Wanted, type WantedStem } from '@tooldex/search/engine'
import { TOOL_COLUMNS, toolOf } from './rows.ts'
import { type NumberedServers, oneOf, ruleFilter, spareFor, toolsWithin } from './rule-filter.ts'

/** What candidates are looked for by. */
export interface Question {
  readonly wanted: Wanted
  /** Those of the query that tools have, the weightiest first. */
  readonly stems: readonly WantedStem[]
  readonly rule: ToolRule
  readonly catalog: NumberedServers
}

/** Of a long query the weightiest stems are looked for. */
const MOST_STEMS = 48
/** How long the lists are for each candidate: a tool that is far down in two of them may be better than the first of one. */
const LENGTHS = { words: 2, nearest: 1.3 } as const
/** How much a place counts: the first few of a list hardly differ. */
const FIRST_PLACES = 20
/** Names that a query may be are hardly those of many tools. */
const MOST_NAMED = 20

type RowId = bigint

/**
 * Those whose name it is, and the best by the words that were said, by these and others that mean the same, and by meaning,
 * together. Lists are of row ids, and tools are read once for all lists: reading takes longer than finding.
 */
export async function findCandidates(table: Table, question: Question, k: number): Promise<readonly AnalysedTool[]> {
  const { wanted, stems, rule, catalog } = question
  const filter = ruleFilter(rule, catalog)
  const spare = spareFor(rule)
  const said = stems.filter((stem) => stem.said)
  const [named, ...lists] = await Promise.all([
    namedTools(table, wanted.names, rule, catalog),
    withWords(table, said, filter, LENGTHS.words * k + spare),
    said.length === stems.length ? [] : withWords(table, stems, filter, LENGTHS.words * k + spare),
    nearestTools(table, wanted.vectors, filter, Math.ceil(LENGTHS.nearest * k) + spare),
  ])
  const rows = new Set([...named, ...fused(lists)])
  return readTools(table, [...rows], rule, k)
}

/** Reads tools in the order of their rows until there are enough that the rule allows. */
async function readTools(
  table: Table,
  rows: readonly RowId[],
  rule: ToolRule,
  k: number,
): Promise<readonly AnalysedTool[]> {
  const isAllowed = allowedByRule(rule)
  const tools: AnalysedTool[] = []
  for (let start = 0; start < rows.length && tools.length < k; ) {
    const some = rows.slice(start, start + k - tools.length)
    start += some.length
    const read = await table.takeRowIds(some).select(TOOL_COLUMNS).toArray()
    if (read.length < some.length) throw new Error('rows were moved while they were read')
    tools.push(...read.map(toolOf).filter(isAllowed))
  }
  return tools
}

async function rowsOf(query: Query | VectorQuery): Promise<readonly RowId[]> {
  const found = await query.withRowId().toArrow()
  return [...((found.getChild('_rowid')?.toArray() as BigUint64Array | undefined) ?? [])]
}

function namedTools(
  table: Table,
  names: readonly string[],
  rule: ToolRule,
  catalog: NumberedServers,
): Promise<readonly RowId[]> {
  if (names.length === 0) return Promise.resolve([])
  const filter = `${oneOf('name', names)} AND ${toolsWithin(rule, catalog)}`
  const most = MOST_NAMED + spareFor(rule)
  return rowsOf(table.query().where(filter).select(['kind']).limit(most))
}

function withWords(
  table: Table,
  stems: readonly WantedStem[],
  filter: string | undefined,
  most: number,
): Promise<readonly RowId[]> {
  const words = stems.slice(0, MOST_STEMS).map(({ stem }) => stem)
  if (words.length === 0) return Promise.resolve([])
  const query = table
    .query()
    .fullTextSearch(new MatchQuery(words.join(' '), 'words'))
    .select(['_score'])
    .limit(most)
  return rowsOf(filter === undefined ? query : query.where(filter))
}

function nearestTools(
  table: Table,
  [whole]: readonly Float32Array[],
  filter: string | undefined,
  most: number,
): Promise<readonly RowId[]> {
  if (whole === undefined || whole.every((value) => value === 0)) return Promise.resolve([])
  const query = table
    .query()
    .nearestTo(whole)
    .column('vector')
    .distanceType('cosine')
    .nprobes(20)
    .select(['_distance'])
    .limit(most)
  return rowsOf(filter === undefined ? query : query.where(filter))
}

/** The rows of all lists, those first that have the best places in sum (reciprocal rank fusion). */
function fused(lists: readonly (readonly RowId[])[]): readonly RowId[] {
  const scores = new Map<RowId, number>()
  for (const list of lists) {
    for (const [place, row] of list.entries()) scores.set(row, (scores.get(row) ?? 0) + 1 / (FIRST_PLACES + place))
  }
  return [...scores].toSorted(([, one], [, other]) => other - one).map(([row]) => row)
}
