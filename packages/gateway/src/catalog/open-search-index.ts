import type { EmbeddingsConfig } from '@tooldex/contract'
import { CatalogIndex } from './catalog-index.ts'
import { Embedders } from './embedders.ts'
import { type ProviderMaker, searchStrategies } from './search-strategies.ts'
import { VectorFiles } from './vector-files.ts'

/** What the strategies of a gateway are made from. */
export interface StrategyParts {
  /** Where vectors are kept that take long to make. */
  readonly vectorsFolder: string
  readonly embeddings?: EmbeddingsConfig | undefined
  /** Makes the provider of `cloud`, which the catalog knows nothing of. */
  readonly cloud?: ProviderMaker
  /** Where problems are told; a pino logger will do. */
  readonly log: { warn(facts: Readonly<Record<string, unknown>>, message: string): void }
}

/** Strategies, and what has to be closed with them. */
export interface OpenStrategies {
  readonly strategies: ReadonlyMap<string, ProviderMaker>
  readonly embedders: Embedders
}

/** Every strategy that a configuration allows. Nothing is loaded before it is needed. */
export function openStrategies({ vectorsFolder, embeddings, log }: StrategyParts): OpenStrategies {
  const embedders = new Embedders({
    ...(embeddings !== undefined && { config: embeddings }),
    onProblem: (reason) => log.warn({ reason }, 'an embedder cannot be used; searches go on without it'),
  })
  const cache = new VectorFiles({
    folder: vectorsFolder,
    onProblem: (error) =>
      log.warn({ error: String(error) }, 'vectors cannot be kept; they are made anew after a restart'),
  })
  const queryBudgetMs = embeddings?.queryTimeoutMs
  const strategies = searchStrategies({ embedders, cache, ...(queryBudgetMs !== undefined && { queryBudgetMs }) })
  return { strategies, embedders }
}

/** An index, and what has to be closed with it. */
export interface SearchIndex {
  readonly index: CatalogIndex
  readonly embedders: Embedders
}

/** The index of a gateway, with these strategies. */
export function openSearchIndex({ cloud, ...parts }: StrategyParts): SearchIndex {
  const { strategies, embedders } = openStrategies(parts)
  const all = cloud === undefined ? strategies : new Map([...strategies, ['cloud', cloud]])
  return { index: new CatalogIndex(all), embedders }
}
