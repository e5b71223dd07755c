import {
  Bm25Provider,
  EmbeddingsProvider,
  HybridProvider,
  LexicalProvider,
  type QueryReader,
  type SearchProvider,
  type VectorCache,
} from '@tooldex/search'
import type { Embedders } from './embedders.ts'

/** Makes the provider of a strategy, some of them asynchronously. */
export type ProviderMaker = () => SearchProvider | Promise<SearchProvider>

/** The settings of the strategies that use embeddings. */
export interface MeaningParts {
  readonly embedders: Pick<Embedders, 'open'>
  /** The cache for vectors that are slow to compute. */
  readonly cache: VectorCache
  /** Maximum time that a search waits for a service or a model. */
  readonly queryBudgetMs?: number
}

/** Strategies by name. Those that use embeddings need `meaning`. */
export function searchStrategies(meaning?: MeaningParts): ReadonlyMap<string, ProviderMaker> {
  // One reader for all strategies, loaded with the first: its dictionaries are as large as an idle gateway's own code.
  let loaded: Promise<QueryReader> | undefined
  const reader = (): Promise<QueryReader> => {
    loaded ??= import('@tooldex/languages').then(({ createQueryReader }) => createQueryReader())
    return loaded
  }
  const byWords: [string, ProviderMaker][] = [
    ['bm25', async () => new Bm25Provider({ queryReader: await reader() })],
    ['lexical', () => new LexicalProvider()],
    // Loaded on demand: the regular expression engine is as large as all other providers together.
    ['regex', async () => new (await import('@tooldex/search/regex')).RegexProvider()],
  ]
  if (meaning === undefined) return new Map(byWords)
  const { embedders, ...rest } = meaning
  const options = async () => ({ ...rest, queryReader: await reader() })
  return new Map<string, ProviderMaker>([
    ...byWords,
    ['embeddings', async () => new EmbeddingsProvider(await embedders.open(), await options())],
    ['hybrid', async () => new HybridProvider(await embedders.open(), await options())],
  ])
}
