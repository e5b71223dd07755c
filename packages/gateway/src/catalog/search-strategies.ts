import {
  Bm25Provider,
  EmbeddingsProvider,
  HybridProvider,
  LexicalProvider,
  type SearchProvider,
  type VectorCache,
} from '@tooldex/search'
import type { Embedders } from './embedders.ts'

/** Makes the provider of a strategy; some have to be waited for. */
export type ProviderMaker = () => SearchProvider | Promise<SearchProvider>

/** What strategies that know meanings need. */
export interface MeaningParts {
  readonly embedders: Pick<Embedders, 'open'>
  /** Where vectors are kept that take long to make. */
  readonly cache: VectorCache
  /** How long a search waits for a service or a model. */
  readonly queryBudgetMs?: number
}

/** Strategies by name. Those that know meanings are there only with embedders. */
export function searchStrategies(meaning?: MeaningParts): ReadonlyMap<string, ProviderMaker> {
  const byWords: [string, ProviderMaker][] = [
    ['bm25', () => new Bm25Provider()],
    ['lexical', () => new LexicalProvider()],
    // The engine of regular expressions is as large as all the others together.
    ['regex', async () => new (await import('@tooldex/search/regex')).RegexProvider()],
  ]
  if (meaning === undefined) return new Map(byWords)
  const { embedders, ...options } = meaning
  return new Map<string, ProviderMaker>([
    ...byWords,
    ['embeddings', async () => new EmbeddingsProvider(await embedders.open(), options)],
    ['hybrid', async () => new HybridProvider(await embedders.open(), options)],
  ])
}
