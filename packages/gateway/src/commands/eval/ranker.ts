import type { EmbedderProgress, IndexedTool, SearchProvider, ToolChange } from '@tooldex/search'
import { type Figures, meanFigures, measure, median } from '@tooldex/search/relevance'
import type { ProviderMaker } from '../../catalog/search-index/search-strategies.ts'
import { GatewayError } from '../../errors.ts'
import type { Progress } from './progress.ts'
import type { JudgedQuery } from './queries.ts'

/** A provider that may embed in the background. */
interface MaybeEmbedding extends SearchProvider {
  settled?(): Promise<void>
  progress?(): readonly EmbedderProgress[]
}

const PROGRESS_INTERVAL_MS = 250

/** A strategy over the evaluated tools only. Searches start once all tools are indexed. */
export class EvalRanker {
  readonly #provider: MaybeEmbedding
  readonly #tools: ReadonlyMap<string, IndexedTool>
  readonly #progress: Progress

  private constructor(provider: MaybeEmbedding, tools: readonly IndexedTool[], progress: Progress) {
    this.#provider = provider
    this.#tools = new Map(tools.map((tool) => [tool.id, tool]))
    this.#progress = progress
  }

  static async open(
    strategy: string,
    strategies: ReadonlyMap<string, ProviderMaker>,
    tools: readonly IndexedTool[],
    progress: Progress,
  ): Promise<EvalRanker> {
    const make = strategies.get(strategy)
    if (make === undefined) throw new GatewayError('INVALID_ARGUMENTS', { reason: `there is no strategy ${strategy}` })
    const ranker = new EvalRanker(await make(), tools, progress)
    await ranker.#apply({ added: tools, changed: [], removed: [] })
    return ranker
  }

  rankAll(queries: readonly JudgedQuery[]): Promise<StrategyOutcome> {
    const { strategy } = this.#provider
    return rankAll(this.#provider, queries, (done) =>
      this.#progress.show(`${strategy}  ${done} of ${queries.length} queries`),
    )
  }

  /** Ranks with a changed tool, then restores the original. */
  async rankAllWith(tool: IndexedTool, queries: readonly JudgedQuery[]): Promise<StrategyOutcome> {
    const before = this.#tools.get(tool.id)
    await this.#apply({ added: [], changed: [tool], removed: [] })
    try {
      return await rankAll(this.#provider, queries)
    } finally {
      if (before !== undefined) await this.#apply({ added: [], changed: [before], removed: [] })
    }
  }

  async #apply(change: ToolChange): Promise<void> {
    this.#provider.apply(change)
    // The timer also keeps the process alive, which background work does not.
    const timer = setInterval(() => this.#showProgress(), PROGRESS_INTERVAL_MS)
    await this.#provider.settled?.().finally(() => clearInterval(timer))
    clearInterval(timer)
  }

  #showProgress(): void {
    const [preferred] = this.#provider.progress?.() ?? []
    if (preferred === undefined || preferred.pending === 0) return
    const done = this.#tools.size - preferred.pending
    this.#progress.show(`${preferred.embedder}  ${done} of ${this.#tools.size} tools`)
  }
}

/** The number of ranked tools that the measures use. */
const DEPTH = 10

/** The result of a strategy for one query. */
export interface Outcome {
  readonly query: JudgedQuery
  /** Tool keys, best first. */
  readonly ranking: readonly string[]
  readonly figures: Figures
  readonly ms: number
}

/** The results of a strategy for all queries. */
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

/** Runs every query. `onStep` gets the number of finished queries. */
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
