import { FallbackProvider, type IndexedTool, type SearchProvider, ToolSearchError } from '@tooldex/search'
import type { CatalogServer, CatalogTool } from './catalog.ts'
import { aboutServer, type Descriptions, indexedTool, searchedId } from './indexed-tools.ts'
import { BatchedProvider, type OpenedProvider } from './batched-provider.ts'
import type { IndexFiles } from './index-files.ts'
import { type ProviderMaker, searchStrategies } from './search-strategies.ts'

interface Entry {
  readonly source: CatalogTool
  readonly about: string | undefined
  readonly indexed: IndexedTool
}

/** Where debug lines go, for example a pino logger. */
export interface IndexLog {
  debug(facts: Readonly<Record<string, unknown>>, message: string): void
}

type SearchedServer = Pick<CatalogServer, 'id' | 'tools' | 'instructions'>

/**
 * The searchable tools of all servers. The provider of a strategy is created at its first use and receives only changes
 * from then on. BM25 answers in place of an unavailable strategy, and the answer says so.
 */
export class CatalogIndex {
  readonly #files: IndexFiles | undefined
  readonly #makers: ReadonlyMap<string, ProviderMaker>
  readonly #servers = new Map<string, SearchedServer>()
  /** By server id, then by the id in the index. */
  readonly #entries = new Map<string, ReadonlyMap<string, Entry>>()
  readonly #providers = new Map<string, BatchedProvider>()
  readonly #substitutes = new Map<string, SearchProvider>()
  readonly #log: IndexLog | undefined
  #descriptions: Descriptions = new Map()

  /** @param files where built indexes are kept; by default nowhere */
  constructor(makers: ReadonlyMap<string, ProviderMaker> = searchStrategies(), files?: IndexFiles, log?: IndexLog) {
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
      if (this.#files?.saves(strategy, this.#size()) !== true) continue
      this.provider(strategy)
      await this.#providers.get(strategy)?.opened
    }
  }

  /** Saves the indexes that were built, for the next start. Never throws. */
  async save(): Promise<void> {
    for (const batched of this.#providers.values()) {
      const { settled } = batched
      if (settled !== undefined) await this.#files?.save(settled, this.#tools())
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

  /** Takes over the tools of a server; unchanged entries are kept. */
  put(server: SearchedServer): void {
    this.#servers.set(server.id, server)
    const before = this.#entries.get(server.id) ?? new Map<string, Entry>()
    const about = aboutServer(server.instructions)
    const after = new Map<string, Entry>()
    for (const source of server.tools.values()) {
      for (const description of [undefined, ...(this.#descriptions.get(source.key) ?? [])]) {
        const id = searchedId(source.key, description)
        const known = before.get(id)
        const isSame = known?.source === source && known.about === about
        after.set(id, isSame ? known : { source, about, indexed: indexedTool(source, about, description) })
      }
    }
    this.#replace(server.id, before, after)
  }

  /** Removes a server. */
  remove(serverId: string): void {
    const before = this.#entries.get(serverId)
    if (before !== undefined) this.#replace(serverId, before, new Map())
    this.#entries.delete(serverId)
    this.#servers.delete(serverId)
  }

  /** Takes over the projects' own descriptions of tools. */
  describe(descriptions: Descriptions): void {
    if (descriptions.size + this.#descriptions.size === 0) return
    this.#descriptions = descriptions
    for (const server of [...this.#servers.values()]) this.put(server)
  }

  #replace(serverId: string, before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): void {
    this.#entries.set(serverId, after)
    const added = inIdOrder([...after].filter(([key]) => !before.has(key)))
    const removed = inIdOrder([...before].filter(([key]) => !after.has(key)))
    const changed = inIdOrder([...after].filter(([key, entry]) => before.has(key) && before.get(key) !== entry))
    if (added.length + removed.length + changed.length === 0) return
    for (const provider of this.#providers.values()) provider.apply({ added, changed, removed })
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
    const added = this.#tools()
    const isSaved = this.#files?.saves(strategy, added.length) === true
    const made = isSaved ? undefined : make()
    const opened = made instanceof Promise || made === undefined ? this.#open(strategy, added, made ?? make) : made
    const provider = new BatchedProvider(strategy, opened, ({ isFirst, tools, ms }) => {
      const facts = { strategy, tools: this.#size(), changed: tools, ms: Math.round(ms * 10) / 10 }
      this.#log?.debug(facts, isFirst ? 'built a search index' : 'changed a search index')
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

  #tools(): IndexedTool[] {
    return inIdOrder([...this.#entries.values()].flatMap((entries) => [...entries]))
  }

  #size(): number {
    let size = 0
    for (const entries of this.#entries.values()) size += entries.size
    return size
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

function inIdOrder(entries: readonly (readonly [string, Entry])[]): IndexedTool[] {
  return entries.map(([, { indexed }]) => indexed).sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
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
