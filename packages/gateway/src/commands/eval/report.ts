import { FIGURES } from '@tooldex/search/relevance'
import type { ConfusablePair } from './confusable-tools.ts'
import type { Comparison, Proposal } from './proposals.ts'
import { type Outcome, type StrategyOutcome, type Summary, summarise } from './ranker.ts'
import { clean, columns, counted, pad, type Paint, paintFor, type Terminal, truncate } from '../terminal/terminal.ts'

/** Everything that `tooldex eval` found out. */
export interface Evaluation {
  readonly tools: number
  readonly queries: number
  readonly strategies: readonly StrategyOutcome[]
  /** The strategy of the endpoint; misses, confusable tools and proposals refer to it. */
  readonly ours: StrategyOutcome
  readonly confusable: readonly ConfusablePair[]
  readonly proposals: readonly Proposal[]
}

const SHOWN = FIGURES.filter(([figure]) => ['ndcg10', 'recall5', 'hit1'].includes(figure))
const MOST_MISSES = 10

/** The evaluation as the object that `--json` prints. */
export function evaluationJson(evaluation: Evaluation): object {
  const { tools, queries, strategies, ours, confusable, proposals } = evaluation
  return {
    tools,
    queries,
    strategy: ours.strategy,
    strategies: Object.fromEntries(strategies.map((each) => [each.strategy, summaryJson(each)])),
    misses: missesOf(ours).map(({ query, ranking }) => ({
      query: query.queries.length === 1 ? query.queries[0] : query.queries,
      relevant: [...query.relevant],
      found: ranking,
    })),
    confusable,
    proposals,
  }
}

function summaryJson({ outcomes, degraded }: StrategyOutcome): Summary & { readonly degraded?: string } {
  return { ...summarise(outcomes), ...(degraded !== undefined && { degraded }) }
}

/** The evaluation as text. */
export function renderEvaluation(evaluation: Evaluation, terminal: Pick<Terminal, 'width' | 'colours'>): string {
  const paint = paintFor(terminal)
  const { tools, queries } = evaluation
  const parts = [
    `  ${paint.bold('eval')}  ${counted(queries, 'query').replace('querys', 'queries')} over ${counted(tools, 'tool')}`,
    figuresTable(evaluation, paint),
    missesPart(evaluation, paint, terminal.width),
    confusablePart(evaluation, paint),
    proposalsPart(evaluation, paint),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function figuresTable({ strategies, ours }: Evaluation, paint: Paint): string {
  const head = ['strategy', ...SHOWN.map(([, heading]) => heading), 'p50 ms']
  const rows = strategies.map(({ strategy, outcomes, degraded }) => {
    const summary = summarise(outcomes)
    const figures = SHOWN.map(([figure]) => summary[figure].toFixed(3))
    const note = degraded === undefined ? '' : `   ${paint.dim(`answered by another strategy: ${clean(degraded)}`)}`
    const mark = strategy === ours.strategy ? ' *' : ''
    return { cells: [`${strategy}${mark}`, ...figures, summary.p50Ms.toFixed(2)], note }
  })
  const widths = head.map((cell, at) => Math.max(columns(cell), ...rows.map(({ cells }) => columns(cells[at] ?? ''))))
  const line = (cells: readonly string[]): string =>
    cells.map((cell, at) => (at === 0 ? pad(cell, widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('   ')
  return [
    `  ${paint.dim(line(head))}`,
    ...rows.map(({ cells, note }) => `  ${line(cells)}${note}`),
    `  ${paint.dim('* strategy of this endpoint; the following refers to it')}`,
  ].join('\n')
}

function missesPart({ ours }: Evaluation, paint: Paint, width: number): string {
  const misses = missesOf(ours)
  if (misses.length === 0) return `  ${paint.bold('every query ranks a relevant tool first')}`
  const lines = misses.slice(0, MOST_MISSES).map(({ query, ranking }) => {
    const place = ranking.findIndex((key) => query.relevant.has(key)) + 1
    const where = place === 0 ? 'not in the top 10' : `at rank ${place}`
    const wanted = clean([...query.relevant].join(', '))
    const first = ranking[0] === undefined ? 'nothing' : clean(ranking[0])
    return [
      `     ${truncate(`"${clean(query.queries.join(' / '))}"`, Math.max(20, width - 5))}`,
      `       ${paint.dim(`${wanted} ${where}; first is ${first}`)}`,
    ].join('\n')
  })
  const more = misses.length - lines.length
  const title = `  ${paint.bold('not ranked first')}   ${misses.length} of ${ours.outcomes.length}`
  return [title, ...lines, ...(more > 0 ? [`     ${paint.dim(`and ${more} more; --json has all`)}`] : [])].join('\n')
}

function confusablePart({ confusable }: Evaluation, paint: Paint): string {
  if (confusable.length === 0) return ''
  const lines = confusable.map(({ tools: [a, b], similarity, mixedUp }) => {
    const times = mixedUp === 0 ? '' : `, confused ${mixedUp} ${mixedUp === 1 ? 'time' : 'times'}`
    return `     ${clean(a)}   ${clean(b)}   ${paint.dim(`${similarity.toFixed(2)} alike${times}`)}`
  })
  return [`  ${paint.bold('easily confused')}`, ...lines].join('\n')
}

function proposalsPart({ proposals }: Evaluation, paint: Paint): string {
  if (proposals.length === 0) return ''
  const lines = proposals.flatMap(({ toolKey, description, ofTool, ofAll, unseen }) => [
    `     ${paint.cyan(clean(toolKey))}   ${figure(ofTool)} for its own queries, ${figure(ofAll)} for all`,
    `       ${paint.dim(clean(description))}`,
    ...(unseen === undefined ? [] : [`       ${paint.dim(`estimate for new queries: ${figure(unseen)}`)}`]),
  ])
  const advice = 'set as projects.<id>.tools.<tool key>.description; keep only words that people really use'
  return [`  ${paint.bold('proposed descriptions')}   ${paint.dim(advice)}`, ...lines].join('\n')
}

function figure({ before, after }: Comparison): string {
  return `NDCG@10 ${before.toFixed(3)} → ${after.toFixed(3)}`
}

/** Queries whose first hit is not relevant, worst first. */
function missesOf({ outcomes }: StrategyOutcome): readonly Outcome[] {
  return outcomes.filter(({ figures }) => figures.hit1 === 0).toSorted((a, b) => a.figures.ndcg10 - b.figures.ndcg10)
}
