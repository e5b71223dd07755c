import type { SearchProvider } from '@tooldex/search'
import { type Figures, meanFigures, measure, median } from '@tooldex/search/relevance'
import type { JudgedQuery } from './eval-queries.ts'

/** How deep rankings are looked at. */
const DEPTH = 10

/** What a strategy made of a query. */
export interface Outcome {
  readonly query: JudgedQuery
  /** Tool keys, best first. */
  readonly ranking: readonly string[]
  readonly figures: Figures
  readonly ms: number
}

/** What a strategy made of all queries. */
export interface StrategyOutcome {
  readonly strategy: string
  readonly outcomes: readonly Outcome[]
  /** Why another strategy answered in its place, for the first query where one did. */
  readonly degraded?: string
}

/** The means over all queries. */
export interface Summary extends Figures {
  readonly queries: number
  /** Median time of a search in milliseconds. */
  readonly p50Ms: number
}

/** Asks a provider every query. `onStep` hears how many are done. */
export async function rankAll(
  provider: SearchProvider,
  queries: readonly JudgedQuery[],
  onStep: (done: number) => void = () => {},
): Promise<StrategyOutcome> {
  const outcomes: Outcome[] = []
  let degraded: string | undefined
  for (const query of queries) {
    const started = performance.now()
    const answer = await provider.search({ queries: query.queries, maxResults: DEPTH })
    const ms = performance.now() - started
    degraded ??= answer.degraded?.reason
    const ranking = answer.hits.map(({ id }) => id)
    outcomes.push({ query, ranking, figures: measure(ranking, query), ms })
    onStep(outcomes.length)
  }
  return { strategy: provider.strategy, outcomes, ...(degraded !== undefined && { degraded }) }
}

/** The mean figures and the median time. */
export function summarise(outcomes: readonly Outcome[]): Summary {
  return {
    ...meanFigures(outcomes.map(({ figures }) => figures)),
    queries: outcomes.length,
    p50Ms: median(outcomes.map(({ ms }) => ms)),
  }
}
