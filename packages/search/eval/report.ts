import { barChart } from '../../../scripts/bar-chart.ts'
import {
  type AbsenceSummary,
  byKind,
  type CertaintySummary,
  type Outcome,
  type SetOutcomes,
  type Summary,
  summarise,
  summariseAbsence,
  summariseCertainty,
} from './evaluate.ts'
import type { LearnOutcomes } from './learn.ts'
import { FIGURES, meanFigures, median } from './metrics.ts'

/** All outcomes of a run: set → ranker → outcomes. */
export type Run = ReadonlyMap<string, ReadonlyMap<string, SetOutcomes>>

/** Everything that `--json` prints of a ranker on a set. */
interface JsonSummary extends Summary, Partial<CertaintySummary>, Partial<AbsenceSummary> {
  readonly kinds?: Readonly<Record<string, Pick<Summary, 'hit1' | 'ndcg10' | 'queries'>>>
  readonly unlogged?: LearnOutcomes['unlogged']
}

/** The run as tables for people: one for each set, and the mean over sets where there are several. */
export function renderRun(run: Run, options: { readonly byKind: boolean }): string {
  const tables = [...run].flatMap(([set, rankers]) => {
    const summaries = new Map([...rankers].map(([name, { outcomes }]) => [name, summarise(outcomes)]))
    const title = `${set} (${summaries.values().next().value?.queries ?? 0} queries)`
    return [
      figuresTable(title, summaries),
      ...certaintyTables(set, rankers),
      ...unloggedLines(rankers),
      ...(options.byKind ? kindTables(set, rankers) : []),
    ]
  })
  if (run.size > 1) tables.push(figuresTable(`mean of ${run.size} sets`, meanOverSets(run)))
  return tables.join('\n')
}

/** NDCG@10 of the run as an SVG chart: one panel for each set, or the mean over sets first where there are several. */
export function chartOf(run: Run, ours: ReadonlySet<string>): string {
  const bySet = [...run].map(([set, rankers]) => {
    const summaries = [...rankers].map(([name, { outcomes }]) => [name, summarise(outcomes)] as const)
    return [`${set} (${summaries[0]?.[1].queries ?? 0} queries)`, new Map(summaries)] as const
  })
  const panels = run.size > 1 ? [[`mean of ${run.size} sets`, meanOverSets(run)] as const, ...bySet] : bySet
  return barChart(
    'Ranking: NDCG@10, higher is better',
    panels.map(([title, summaries]) => ({
      title,
      bars: [...summaries]
        .map(([label, { ndcg10 }]) => ({ label, value: ndcg10, text: ndcg10.toFixed(3), isOurs: ours.has(label) }))
        .toSorted((one, other) => other.value - one.value),
    })),
    'Drawn by npm run eval -- --chart. Rankers of Tooldex are coloured; the others are libraries in their set-ups there.',
  )
}

/** The run as the object that `--json` prints. */
export function toJson(run: Run): { sets: Record<string, Record<string, JsonSummary>> } {
  const sets = [...run].map(([set, rankers]) => {
    const summaries = [...rankers].map(([name, outcomes]) => [name, jsonSummary(outcomes)] as const)
    return [set, Object.fromEntries(summaries)] as const
  })
  return { sets: Object.fromEntries(sets) }
}

function jsonSummary(all: SetOutcomes & Pick<LearnOutcomes, 'unlogged'>): JsonSummary {
  const kinds = [...byKind(all.outcomes)].map(([kind, outcomes]) => {
    const { hit1, ndcg10, queries } = summarise(outcomes)
    return [kind, { hit1, ndcg10, queries }] as const
  })
  return {
    ...summarise(all.outcomes),
    ...summariseCertainty(all),
    ...summariseAbsence(all),
    ...(kinds.length > 0 && { kinds: Object.fromEntries(kinds) }),
    ...(all.unlogged !== undefined && { unlogged: all.unlogged }),
  }
}

/** Every set has the same weight, independent of its number of queries. */
function meanOverSets(run: Run): ReadonlyMap<string, Summary> {
  const bySet = [...run.values()]
  const rankers = [...(bySet[0]?.keys() ?? [])]
  return new Map(
    rankers.map((ranker) => {
      const summaries = bySet.map((set) => summarise(set.get(ranker)?.outcomes ?? []))
      const queries = summaries.reduce((sum, summary) => sum + summary.queries, 0)
      return [ranker, { ...meanFigures(summaries), queries, p50Ms: median(summaries.map(({ p50Ms }) => p50Ms)) }]
    }),
  )
}

function figuresTable(title: string, summaries: ReadonlyMap<string, Summary>): string {
  const rows = [...summaries].map(([name, summary]) => [
    name,
    ...FIGURES.map(([key]) => summary[key].toFixed(3)),
    summary.p50Ms.toFixed(2),
  ])
  return table([title, ...FIGURES.map(([, heading]) => heading), 'p50 ms'], rows)
}

/** How sure our rankers are, and whether they tell that no tool serves a query; nothing for peers. */
function certaintyTables(set: string, rankers: ReadonlyMap<string, SetOutcomes>): readonly string[] {
  const rows: string[][] = []
  let kinds: readonly string[] = []
  for (const [name, outcomes] of rankers) {
    const certainty = summariseCertainty(outcomes)
    if (certainty === undefined) continue
    const absence = summariseAbsence(outcomes)
    kinds = absence === undefined ? kinds : Object.keys(absence.aucByKind)
    const figures =
      absence === undefined
        ? []
        : [absence.falseFound, absence.missedFound, absence.auc, ...Object.values(absence.aucByKind)]
    rows.push([name, ...[certainty.calibrationError, ...figures].map((figure) => figure.toFixed(3))])
  }
  if (rows.length === 0) return []
  const headings = kinds.length === 0 ? [] : ['false found', 'missed', 'AUC', ...kinds.map((kind) => `AUC ${kind}`)]
  return [table([`${set} · certainty`, 'calibration error', ...headings], rows)]
}

function unloggedLines(rankers: ReadonlyMap<string, SetOutcomes & Pick<LearnOutcomes, 'unlogged'>>): readonly string[] {
  return [...rankers].flatMap(([name, { unlogged }]) =>
    unlogged === undefined
      ? []
      : [
          `${name} on the ${unlogged.queries} queries whose tools are not in the log: ${(-unlogged.loss).toFixed(4)} NDCG@10\n`,
        ],
  )
}

/** Kinds down, rankers across: one table for NDCG@10, one for Recall@5. */
function kindTables(set: string, rankers: ReadonlyMap<string, SetOutcomes>): readonly string[] {
  const names = [...rankers.keys()]
  const grouped = [...rankers.values()].map(({ outcomes }) => byKind(outcomes))
  const kinds = [...(grouped[0] ?? new Map<string, readonly Outcome[]>())]
  if (kinds.length === 0) return []
  return (['ndcg10', 'recall5'] as const).map((figure) => {
    const heading = FIGURES.find(([key]) => key === figure)?.[1] ?? figure
    const rows = kinds.map(([kind, outcomes]) => [
      `${kind} (${outcomes.length})`,
      ...grouped.map((groups) => summarise(groups.get(kind) ?? [])[figure].toFixed(3)),
    ])
    return table([`${set} · ${heading} by kind`, ...names], rows)
  })
}

/** First column to the left, the others to the right; a blank line after. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  const rule = widths.map((width) => '─'.repeat(width)).join('  ')
  return `${[line(head), rule, ...rows.map(line)].join('\n')}\n`
}
