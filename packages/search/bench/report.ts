import { barChart } from '../../../scripts/bar-chart.ts'
import type { EngineName } from './engines/engine.ts'
import { isOurs, OUR_ENGINE } from './engines/engine.ts'
import type { Measurement } from './measure.ts'
import type { Outcome } from './run-worker.ts'
import { rounded } from './statistics.ts'

/** The outcome of one engine at one size. */
export interface Result {
  readonly engine: EngineName
  readonly size: number
  readonly outcome: Outcome
}

type Figures = Pick<Measurement, 'indexMs' | 'p50Ms' | 'p99Ms' | 'rssMb' | 'loadMs' | 'updateMs'>

/** `{ <engine>: { <size>: figures } }`; a failure stands as `{ failed: reason }` in the place of its figures. */
export function toJson(results: readonly Result[]): Record<string, Record<string, Figures | { failed: string }>> {
  const byEngine: Record<string, Record<string, Figures | { failed: string }>> = {}
  for (const { engine, size, outcome } of results) {
    byEngine[engine] ??= {}
    byEngine[engine][size] = 'failed' in outcome ? outcome : figuresOf(outcome)
  }
  return byEngine
}

function figuresOf(measurement: Measurement): Figures {
  const { indexMs, p50Ms, p99Ms, rssMb, loadMs, updateMs } = measurement
  return {
    indexMs: rounded(indexMs, 1),
    p50Ms: rounded(p50Ms, 4),
    p99Ms: rounded(p99Ms, 4),
    rssMb: rounded(rssMb, 1),
    ...(loadMs === undefined ? {} : { loadMs: rounded(loadMs, 1) }),
    ...(updateMs === undefined ? {} : { updateMs: rounded(updateMs, 4) }),
  }
}

const COLUMNS = [
  'engine',
  'index ms',
  '',
  'p50 ms',
  '',
  'p99 ms',
  '',
  'rss MB',
  '',
  'tools MB',
  'load ms',
  'update ms',
  'found',
] as const

/** The results at one size as a table for people: every figure, and beside it how many times ours it is. */
export function toTable(size: number, results: readonly Result[]): string {
  const here = results.filter((result) => result.size === size)
  const ours = here.find((result) => result.engine === OUR_ENGINE)?.outcome
  const base = ours === undefined || 'failed' in ours ? undefined : ours
  const rows = here.flatMap(({ engine, outcome }) => ('failed' in outcome ? [] : [tableRow(engine, outcome, base)]))
  const failures = here.flatMap(({ engine, outcome }) =>
    'failed' in outcome ? [`${engine} failed: ${outcome.failed}`] : [],
  )
  return [
    `${withThousands(size)} tools`,
    ...(rows.length > 0 ? alignColumns([[...COLUMNS], ...rows]) : []),
    ...failures,
  ].join('\n')
}

/** What a search costs at one size, as an SVG chart: time of a query, time to index, memory. Failures are left out. */
export function toChart(size: number, results: readonly Result[]): string {
  const here = results.flatMap(({ engine, size: at, outcome }) =>
    at === size && !('failed' in outcome) ? [{ engine, ...outcome }] : [],
  )
  const panel = (title: string, valueOf: (row: Measurement) => number, textOf: (value: number) => string) => ({
    title,
    bars: here
      .map((row) => ({ row, value: valueOf(row) }))
      .map(({ row, value }) => ({ label: row.engine, value, text: textOf(value), isOurs: isOurs(row.engine) }))
      .toSorted((one, other) => one.value - other.value),
  })
  return barChart(
    `Cost with ${withThousands(size)} tools, lower is better`,
    [
      panel(
        'A query, median',
        ({ p50Ms }) => p50Ms,
        (ms) => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`,
      ),
      panel(
        'Indexing',
        ({ indexMs }) => indexMs,
        (ms) => `${withThousands(ms)} ms`,
      ),
      panel(
        'Memory of the process',
        ({ rssMb }) => rssMb,
        (mb) => `${withThousands(mb)} MB`,
      ),
    ],
    'Drawn by npm run bench -- --chart, each engine in a process of its own.',
  )
}

function tableRow(engine: EngineName, row: Measurement, base: Measurement | undefined): string[] {
  return [
    engine,
    ...withRatio(row.indexMs, base?.indexMs, 0),
    ...withRatio(row.p50Ms, base?.p50Ms, 3),
    ...withRatio(row.p99Ms, base?.p99Ms, 3),
    ...withRatio(row.rssMb, base?.rssMb, 0),
    withThousands(row.toolsMb),
    row.loadMs === undefined ? '–' : withThousands(row.loadMs),
    row.updateMs === undefined ? '–' : row.updateMs.toFixed(3),
    `${Math.round(row.found * 100)} %`,
  ]
}

function withRatio(value: number, base: number | undefined, digits: number): [string, string] {
  const ratio = base === undefined || base === 0 ? '–' : `${(value / base).toFixed(value / base < 10 ? 1 : 0)}×`
  return [digits === 0 ? withThousands(value) : value.toFixed(digits), ratio]
}

function withThousands(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  '),
  )
}
