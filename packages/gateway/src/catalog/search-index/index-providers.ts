import {
  FallbackProvider,
  type IndexedTool,
  type SearchProvider,
  type ToolChange,
  ToolSearchError,
} from '@tooldex/search'
import { BatchedProvider, type OpenedProvider } from './batched-provider.ts'
import type { IndexFiles } from './index-files.ts'
import { type ProviderMaker, searchStrategies } from './search-strategies.ts'

/** Where debug lines go, for example a pino logger. */
export interface IndexLog {
  debug(facts: Readonly<Record<string, unknown>>, message: string): void
}

/** What providers are made of. */
export interface IndexProvidersParts {
  readonly makers?: ReadonlyMap<string, ProviderMaker> | undefined
  /** Where built indexes are kept; by default nowhere. */
  readonly files?: IndexFiles | undefined
  readonly log?: IndexLog | undefined
}

/** The tools of an index: all that providers have to find. */
export interface ToolSource {
  readonly size: number
  /** In id order. */
  tools(): IndexedTool[]
}

/**
 * The providers of an index. That of a strategy is created at its first use and receives only changes from then on. BM25
 * answers in place of an unavailable strategy, and the answer says so.
 */
export class IndexProviders {
  readonly #source: ToolSource
  readonly #files: IndexFiles | undefined
  readonly #makers: ReadonlyMap<string, ProviderMaker>
  readonly #log: IndexLog | undefined
  readonly #providers = new Map<string, BatchedProvider>()
  readonly #substitutes = new Map<string, SearchProvider>()

  constructor(source: ToolSource, { makers = searchStrategies(), files, log }: IndexProvidersParts = {}) {
    this.#source = source
    this.#makers = makers
    this.#files = files
    this.#log = log
  }

  /**
   * Opens the providers of strategies before their first search, where a saved index is worth it. Resolves when those with a
   * file are loaded; the others are built in the background.
   */
  async warmUp(strategies: Iterable<string>): Promise<void> {
    for (const strategy of strategies) {
      if (this.#files?.saves(strategy, this.#source.size) !== true) continue
      this.provider(strategy)
      await this.#providers.get(strategy)?.opened
    }
  }

  /** Resolves once the providers that were opened have all tools that they were told of. */
  async built(): Promise<void> {
    await Promise.all(Array.from(this.#providers.values(), (provider) => provider.built))
  }

  /** Saves the indexes that were built, for the next start. Never throws. */
  async save(): Promise<void> {
    for (const batched of this.#providers.values()) {
      const { settled } = batched
      if (settled !== undefined) await this.#files?.save(settled, this.#source.tools())
    }
  }

  provider(strategy: string): SearchProvider {
    const make = this.#makers.get(strategy)
    if (make === undefined) return this.#withSubstitute(strategy, () => missing(strategy))
    if (strategy === 'bm25') return this.#byWords() ?? this.#batchedProvider(strategy, make)
    // A provider that is opened asynchronously may turn out to be unusable.
    const provider = this.#batchedProvider(strategy, make)
    return provider.isOpened ? this.#withSubstitute(strategy, () => provider) : provider
  }

  /** Lets all indexes go; the next search builds what it needs. */
  forget(): void {
    this.#providers.clear()
    this.#substitutes.clear()
  }

  /** Takes over a change of the source. */
  apply(change: ToolChange): void {
    for (const provider of this.#providers.values()) provider.apply(change)
  }

  /** Where hybrid has an index, bm25 answers from it instead of building a second one. */
  #byWords(): SearchProvider | undefined {
    const hybrid = this.#providers.get('hybrid')
    if (hybrid?.byWords === undefined || !hybrid.isReady) return undefined
    this.#providers.delete('bm25')
    return hybrid.byWords
  }

  #batchedProvider(strategy: string, make: ProviderMaker): BatchedProvider {
    const known = this.#providers.get(strategy)
    if (known !== undefined) return known
    const added = this.#source.tools()
    const isSaved = this.#files?.saves(strategy, added.length) === true
    const made = isSaved ? undefined : make()
    const opened = made instanceof Promise || made === undefined ? this.#open(strategy, added, made ?? make) : made
    const provider = new BatchedProvider(strategy, opened, ({ kind, tools, ms }) => {
      const facts = { strategy, tools: this.#source.size, changed: tools, ms: Math.round(ms * 10) / 10 }
      this.#log?.debug(facts, `${kind} a search index`)
    })
    provider.apply({ added, changed: [], removed: [] })
    this.#providers.set(strategy, provider)
    return provider
  }

  /** From its file where there is one. */
  async #open(
    strategy: string,
    tools: readonly IndexedTool[],
    made: ProviderMaker | Promise<SearchProvider>,
  ): Promise<OpenedProvider> {
    if (made instanceof Promise) return { provider: await made, isFilled: false }
    const restored = await this.#files?.load(strategy, tools, made)
    return restored === undefined ? { provider: await made(), isFilled: false } : { provider: restored, isFilled: true }
  }

  #withSubstitute(strategy: string, preferred: () => SearchProvider): SearchProvider {
    const known = this.#substitutes.get(strategy)
    if (known !== undefined) return known
    // Looked up at every search, because the index of bm25 may change.
    const bm25: SearchProvider = {
      strategy: 'bm25',
      deterministic: true,
      apply: () => {},
      search: (request) => this.provider('bm25').search(request),
    }
    const substitute = new FallbackProvider([preferred(), bm25])
    this.#substitutes.set(strategy, substitute)
    return substitute
  }
}

/** A placeholder for a strategy that this gateway does not have. */
function missing(strategy: string): SearchProvider {
  const reason = `the strategy "${strategy}" is not available in this gateway`
  return {
    strategy,
    deterministic: true,
    apply: () => {},
    search: () => Promise.reject(new ToolSearchError('SEARCH_UNAVAILABLE', { reason })),
  }
}
