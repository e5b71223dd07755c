import { areaUnderCurve, calibrationError } from './certainty.ts'
import type { AbsentQuery, DataSet, EvalQuery } from './data-set.ts'
import { type Figures, meanFigures, measure, median } from './metrics.ts'
import type { Ranker } from './rankers/ranker.ts'
import { type Verdict, verdictOf } from '../src/providers/verdict.ts'

/** How deep every ranker is asked; the first relevant hit beyond it counts as none. */
const DEPTH = 10

/** The result of a ranker for one query. */
export interface Outcome {
  readonly query: EvalQuery
  readonly figures: Figures
  readonly ms: number
  /** How sure the ranker was of the first hit; absent for peers. */
  readonly relevance?: number
}

/** The answer of a ranker to a query that no tool serves. */
export interface AbsentOutcome {
  readonly query: AbsentQuery
  readonly relevance: number
}

/** The results of a ranker on a set. */
export interface SetOutcomes {
  readonly outcomes: readonly Outcome[]
  /** Empty for peers, and for sets in which every query has an answer. */
  readonly absent: readonly AbsentOutcome[]
}

/** A ranker's figures on a set, as `--json` prints them. */
export interface Summary extends Figures {
  readonly queries: number
  /** Median time of a query in milliseconds. */
  readonly p50Ms: number
}

/** How well a ranker knows whether its first hit is right. */
export interface CertaintySummary {
  /** How far relevance is from the share of first hits that are right. */
  readonly calibrationError: number
}

/** How well a ranker tells that no tool serves a query. */
export interface AbsenceSummary {
  /** The chance that a query with an answer gets a higher relevance than one without. */
  readonly auc: number
  /** The same for each kind of query without an answer. */
  readonly aucByKind: Readonly<Record<string, number>>
  /** The share of queries without an answer whose verdict is `found`. */
  readonly falseFound: number
  /** The share of queries with an answer whose verdict is `none`. */
  readonly missedFound: number
}

/** Indexes the set's tools, then asks and measures every query. `onStep` hears how many are done. */
export async function evaluate(
  set: DataSet,
  ranker: Ranker,
  onStep: (done: number) => void = () => {},
): Promise<SetOutcomes> {
  const rank = await ranker.build(set.tools)
  const outcomes: Outcome[] = []
  for (const query of set.queries) {
    const start = performance.now()
    const { ids, relevance } = await rank(query.queries, DEPTH)
    const ms = performance.now() - start
    const figures = measure(ids.slice(0, DEPTH), query)
    outcomes.push({ query, figures, ms, ...(relevance !== undefined && { relevance }) })
    onStep(outcomes.length)
  }
  const absent: AbsentOutcome[] = []
  for (const query of set.absent) {
    const { relevance } = await rank(query.queries, DEPTH)
    if (relevance !== undefined) absent.push({ query, relevance })
  }
  return { outcomes, absent }
}

/** The mean figures and the median time. */
export function summarise(outcomes: readonly Outcome[]): Summary {
  return {
    ...meanFigures(outcomes.map((outcome) => outcome.figures)),
    queries: outcomes.length,
    p50Ms: median(outcomes.map((outcome) => outcome.ms)),
  }
}

/** Absent for peers: they do not say how sure they are. */
export function summariseCertainty({ outcomes, absent }: SetOutcomes): CertaintySummary | undefined {
  const answered = outcomes.flatMap(({ relevance, figures }) =>
    relevance === undefined ? [] : [{ relevance, isRight: figures.hit1 === 1 }],
  )
  if (answered.length === 0) return undefined
  const unanswerable = absent.map(({ relevance }) => ({ relevance, isRight: false }))
  return { calibrationError: calibrationError([...answered, ...unanswerable]) }
}

/** Absent where every query has an answer. */
export function summariseAbsence({ outcomes, absent }: SetOutcomes): AbsenceSummary | undefined {
  if (absent.length === 0) return undefined
  const present = outcomes.map(({ relevance = 0 }) => relevance)
  const auc = (some: readonly AbsentOutcome[]) =>
    areaUnderCurve(
      present,
      some.map(({ relevance }) => relevance),
    )
  const kinds = Map.groupBy(absent, ({ query }) => query.kind ?? '')
  const share = (relevances: readonly number[], verdict: Verdict) =>
    relevances.filter((relevance) => verdictOf(relevance) === verdict).length / Math.max(relevances.length, 1)
  return {
    auc: auc(absent),
    aucByKind: Object.fromEntries([...kinds].map(([kind, some]) => [kind, auc(some)])),
    falseFound: share(
      absent.map(({ relevance }) => relevance),
      'found',
    ),
    missedFound: share(present, 'none'),
  }
}

/**
 * The outcomes by the kind of their query, kinds in the order in which they first occur; empty where none has a kind.
 */
export function byKind(outcomes: readonly Outcome[]): ReadonlyMap<string, readonly Outcome[]> {
  const withKind = outcomes.filter(({ query }) => query.kind !== undefined)
  return Map.groupBy(withKind, ({ query }) => query.kind ?? '')
}
