import {
  Bm25Provider,
  FallbackProvider,
  type IndexedTool,
  LexicalProvider,
  type SearchAnswer,
  type SearchProvider,
  ToolSearchError,
} from '@tooldex/search'
import { RegexProvider } from '@tooldex/search/regex'
import type { CatalogServer, CatalogTool } from './catalog.ts'
import { FedProvider } from './fed-provider.ts'
import { aboutServer, indexedTool } from './indexed-tool.ts'

/** Makes the provider of a strategy. */
export type ProviderMaker = () => SearchProvider

/** Strategies that need nothing but this package. */
const BUILT_IN_STRATEGIES: ReadonlyMap<string, ProviderMaker> = new Map<string, ProviderMaker>([
  ['bm25', () => new Bm25Provider()],
  ['lexical', () => new LexicalProvider()],
  ['regex', () => new RegexProvider()],
])

interface Entry {
  readonly source: CatalogTool
  readonly about: string | undefined
  readonly indexed: IndexedTool
}

/**
 * The tools of all servers as searches see them. A strategy's provider is made when first asked for and from then on
 * told only what changed. A strategy that is not there is answered by bm25, and the answer says so.
 */
export class CatalogIndex {
  readonly #makers: ReadonlyMap<string, ProviderMaker>
  /** By server id, then by key. */
  readonly #entries = new Map<string, ReadonlyMap<string, Entry>>()
  readonly #fed = new Map<string, FedProvider>()
  readonly #substitutes = new Map<string, SearchProvider>()

  constructor(makers: ReadonlyMap<string, ProviderMaker> = BUILT_IN_STRATEGIES) {
    this.#makers = makers
  }

  provider(strategy: string): SearchProvider {
    const make = this.#makers.get(strategy)
    return make === undefined ? this.#substituteFor(strategy) : this.#fedProvider(strategy, make)
  }

  /** Takes over what a server offers now; what did not change is not touched. */
  put(server: Pick<CatalogServer, 'id' | 'tools' | 'instructions'>): void {
    const before = this.#entries.get(server.id)
    const about = aboutServer(server.instructions)
    const after = new Map<string, Entry>()
    for (const source of server.tools.values()) {
      const known = before?.get(source.key)
      const isSame = known?.source === source && known.about === about
      after.set(source.key, isSame ? known : { source, about, indexed: indexedTool(source, about) })
    }
    this.#replace(server.id, before ?? new Map(), after)
  }

  /** Forgets a server. */
  remove(serverId: string): void {
    const before = this.#entries.get(serverId)
    if (before !== undefined) this.#replace(serverId, before, new Map())
    this.#entries.delete(serverId)
  }

  #replace(serverId: string, before: ReadonlyMap<string, Entry>, after: ReadonlyMap<string, Entry>): void {
    this.#entries.set(serverId, after)
    const added = inIdOrder([...after].filter(([key]) => !before.has(key)))
    const removed = inIdOrder([...before].filter(([key]) => !after.has(key)))
    const changed = inIdOrder([...after].filter(([key, entry]) => before.has(key) && before.get(key) !== entry))
    if (added.length + removed.length + changed.length === 0) return
    for (const provider of this.#fed.values()) provider.apply({ added, changed, removed })
  }

  #fedProvider(strategy: string, make: ProviderMaker): FedProvider {
    const known = this.#fed.get(strategy)
    if (known !== undefined) return known
    const provider = new FedProvider(make())
    const added = inIdOrder([...this.#entries.values()].flatMap((entries) => [...entries]))
    provider.apply({ added, changed: [], removed: [] })
    this.#fed.set(strategy, provider)
    return provider
  }

  #substituteFor(strategy: string): SearchProvider {
    const known = this.#substitutes.get(strategy)
    if (known !== undefined) return known
    const substitute = new FallbackProvider([new MissingProvider(strategy), this.provider('bm25')])
    this.#substitutes.set(strategy, substitute)
    return substitute
  }
}

function inIdOrder(entries: readonly (readonly [string, Entry])[]): IndexedTool[] {
  return entries.map(([, { indexed }]) => indexed).sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

/** Stands for a strategy that this gateway does not have. */
class MissingProvider implements SearchProvider {
  readonly strategy: string
  readonly deterministic = true

  constructor(strategy: string) {
    this.strategy = strategy
  }

  apply(): void {}

  search(): Promise<SearchAnswer> {
    const reason = `the strategy "${this.strategy}" is not available in this gateway`
    return Promise.reject(new ToolSearchError('SEARCH_UNAVAILABLE', { reason }))
  }
}
