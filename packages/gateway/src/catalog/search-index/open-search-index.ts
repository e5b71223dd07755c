import { BackgroundIndex } from './background-index.ts'
import { CatalogIndex } from './catalog-index.ts'
import type { Embedders } from './embedders.ts'
import { openIndexFiles, openStrategies, type StrategyParts } from './open-strategies.ts'
import type { ProviderMaker } from './search-strategies.ts'
import type { EngineSetup } from './thread-messages.ts'

/** An index, and the embedders to close with it. */
export interface SearchIndex {
  readonly index: CatalogIndex
  readonly embedders: Embedders
}

/** What the index of a gateway is made of. */
export interface SearchIndexParts extends StrategyParts {
  /** Makes the provider of `cloud`. */
  readonly cloud: ProviderMaker
  /** The engine of the index, where it is not in memory alone. */
  readonly engine?: EngineSetup | undefined
}

/** The index of a gateway, with these strategies. */
export function openSearchIndex({ cloud, ...parts }: SearchIndexParts): SearchIndex {
  const { strategies, embedders } = openStrategies(parts)
  const { log, ...setup } = parts
  const index = new CatalogIndex({
    makers: new Map([...strategies, ['cloud', cloud]]),
    files: openIndexFiles(parts),
    background: (tools) => new BackgroundIndex({ setup, tools, log }),
    log,
  })
  return { index, embedders }
}
