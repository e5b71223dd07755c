import type { EmbeddingsConfig } from '@tooldex/contract'
import { Embedders } from './embedders.ts'
import { IndexFiles } from './index-files.ts'
import type { IndexLog } from './index-providers.ts'
import { type ProviderMaker, searchStrategies } from './search-strategies.ts'
import { VectorFiles } from './vector-files.ts'

/** The settings of the search strategies of a gateway. */
export interface StrategyParts {
  /** The folder for vectors that are slow to compute. */
  readonly vectorsFolder: string
  /** The folder for built indexes, and the release that builds them. */
  readonly indexes?: { readonly folder: string; readonly version: string } | undefined
  readonly embeddings?: EmbeddingsConfig | undefined
  /** Receives problems, for example a pino logger. */
  readonly log: IndexLog & { warn(facts: Readonly<Record<string, unknown>>, message: string): void }
}

/** Strategies, and the embedders to close with them. */
export interface OpenStrategies {
  readonly strategies: ReadonlyMap<string, ProviderMaker>
  readonly embedders: Embedders
}

/** The strategies of a configuration. Each is loaded at its first use. */
export function openStrategies({ vectorsFolder, embeddings, log }: StrategyParts): OpenStrategies {
  const embedders = new Embedders({
    ...(embeddings !== undefined && { config: embeddings }),
    onProblem: (reason) => log.warn({ reason }, 'an embedder is unusable; searches continue without it'),
  })
  const cache = new VectorFiles({
    folder: vectorsFolder,
    onProblem: (error) =>
      log.warn({ error: String(error) }, 'cannot store vectors; they will be computed again after a restart'),
  })
  const queryBudgetMs = embeddings?.queryTimeoutMs
  const strategies = searchStrategies({ embedders, cache, ...(queryBudgetMs !== undefined && { queryBudgetMs }) })
  return { strategies, embedders }
}

/** The files of built indexes. */
export function openIndexFiles({ indexes, log }: StrategyParts): IndexFiles | undefined {
  const onProblem: ConstructorParameters<typeof IndexFiles>[0]['onProblem'] = ({ file, error }) =>
    log.warn({ file, error: String(error) }, 'a saved search index cannot be used or written; it is built again')
  return indexes && new IndexFiles({ ...indexes, onProblem })
}
