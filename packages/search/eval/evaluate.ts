import type { DataSet, EvalQuery } from './data-set.ts'
import { type Figures, meanFigures, measure, median } from './metrics.ts'
import type { Ranker } from './rankers/ranker.ts'

/** How deep every ranker is asked; the first relevant hit beyond it counts as none. */
const DEPTH = 10

/** The result of a ranker for one query. */
export interface Outcome {
  readonly query: EvalQuery
  readonly figures: Figures
  readonly ms: number
}

/** A ranker's figures on a set, as `--json` prints them. */
export interface Summary extends Figures {
  readonly queries: number
  /** Median time of a query in milliseconds. */
  readonly p50Ms: number
}

/** The summary of every ranker on every set. */
export type Summaries = ReadonlyMap<string, ReadonlyMap<string, Summary>>

/** Indexes the set's tools, then asks and measures every query. `onStep` hears how many are done. */
export async function evaluate(
  set: DataSet,
  ranker: Ranker,
  onStep: (done: number) => void = () => {},
): Promise<readonly Outcome[]> {
  const rank = await ranker.build(set.tools)
  const outcomes: Outcome[] = []
  for (const query of set.queries) {
    const start = performance.now()
    const ranking = await rank(query.queries, DEPTH)
    const ms = performance.now() - start
    outcomes.push({ query, figures: measure(ranking.slice(0, DEPTH), query), ms })
    onStep(outcomes.length)
  }
  return outcomes
}

/** The mean figures and the median time. */
export function summarise(outcomes: readonly Outcome[]): Summary {
  return {
    ...meanFigures(outcomes.map((outcome) => outcome.figures)),
    queries: outcomes.length,
    p50Ms: median(outcomes.map((outcome) => outcome.ms)),
  }
}

/**
 * The outcomes by the kind of their query, kinds in the order in which they first occur; empty where none has a kind.
 */
export function byKind(outcomes: readonly Outcome[]): ReadonlyMap<string, readonly Outcome[]> {
  const withKind = outcomes.filter(({ query }) => query.kind !== undefined)
  return Map.groupBy(withKind, ({ query }) => query.kind ?? '')
}
