import type { IndexedTool, SearchProvider } from '@tooldex/search'
import type { CatalogServer, CatalogTool } from '../catalog.ts'
import type { BackgroundIndex } from './background-index.ts'
import { IndexProviders, type IndexProvidersParts } from './index-providers.ts'
import { aboutServer, type Descriptions, indexedTool, inIdOrder, searchedId } from './indexed-tools.ts'
import { searchStrategies } from './search-strategies.ts'

interface Entry {
  readonly source: CatalogTool
  readonly about: string | undefined
  readonly indexed: IndexedTool
}

type SearchedServer = Pick<CatalogServer, 'id' | 'tools' | 'instructions'>

/** What an index is made of. */
export interface CatalogIndexParts extends IndexProvidersParts {
  /**
   * Opens an index in a thread of its own, once there are so many tools that searches and builds would block the event loop.
   * By default all is done on the main thread.
   */
  readonly background?: (tools: () => readonly IndexedTool[]) => BackgroundIndex
  /** Tools from which on the thread is used. */
  readonly threadFrom?: number
}

/**
 * The one place that decides where searches run. Up to so many tools a search takes some milliseconds at most on the main
 * thread, which needs neither a second copy of the definitions nor 40 MB for a thread.
 */
const THREAD_FROM = 2_000

/** The searchable tools of all servers, on the main thread or, if there are many, in a thread of their own. */
export class CatalogIndex {
  readonly #parts: CatalogIndexParts
  readonly #servers = new Map<string, SearchedServer>()
  /** By server id, then by the id in the index. */
  readonly #entries = new Map<string, ReadonlyMap<string, Entry>>()
  #size = 0
  #local: IndexProviders
  #background: BackgroundIndex | undefined
  #role: 'writer' | 'reader' = 'reader'
  #isUsed = false
  #isExpected = false
  #isThreadUsed = false
  /** Strategies that clients use. */
  readonly #wanted = new Set<string>()
  #descriptions: Descriptions = new Map()

  constructor(parts: CatalogIndexParts = {}) {
    this.#parts = parts
    this.#local = this.#localProviders(parts.makers)
  }

  /** Starts the thread as soon as there are so many tools, so that its code is loaded while the other tools are. */
  expectSearches(): void {
    this.#isExpected = true
  }

  /**
   * Opens the providers of strategies before their first search, where a saved index is worth it. Resolves when those with a
   * file are loaded; in a thread, when all are built.
   */
  async warmUp(strategies: Iterable<string>): Promise<void> {
    for (const strategy of strategies) this.#wanted.add(strategy)
    this.#use()
    if (this.#background === undefined) return this.#local.warmUp(this.#wanted)
    this.#openWanted(this.#background)
    await this.#background.built()
  }

  /** Saves the indexes that were built, for the next start. Never throws. */
  async save(): Promise<void> {
    await (this.#background ?? this.#local).save()
  }

  /** Whether this gateway writes to the engine of the index, if there is one. */
  become(role: 'writer' | 'reader'): void {
    this.#role = role
    this.#background?.become(role)
  }

  async close(): Promise<void> {
    await this.#background?.close()
  }

  provider(strategy: string): SearchProvider {
    this.#use()
    return this.#background === undefined || this.#isOurs(strategy)
      ? this.#local.provider(strategy)
      : this.#background.provider(strategy)
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
    this.#size += after.size - before.size
    const added = indexedIn([...after].filter(([key]) => !before.has(key)))
    const removed = indexedIn([...before].filter(([key]) => !after.has(key)))
    const changed = indexedIn([...after].filter(([key, entry]) => before.has(key) && before.get(key) !== entry))
    if (added.length + removed.length + changed.length === 0) return
    this.#background?.apply({ added, changed, removed })
    this.#local.apply({ added, changed, removed })
    if (this.#isUsed) this.#use()
    else if (this.#isExpected) this.#startThread()
  }

  /** Starts the thread once there are searches and so many tools. Once started it stays, even if tools go. */
  #use(): void {
    this.#isUsed = true
    if (this.#isThreadUsed) return
    const started = this.#startThread()
    if (started === undefined) return
    this.#isThreadUsed = true
    started.fill()
    const { makers } = this.#parts
    const ours = new Map([...(makers ?? [])].filter(([strategy]) => this.#isOurs(strategy)))
    this.#local = this.#localProviders(ours.set('bm25', () => started.provider('bm25')))
    this.#openWanted(started)
  }

  #startThread(): BackgroundIndex | undefined {
    const { background, threadFrom = THREAD_FROM } = this.#parts
    if (this.#background !== undefined || background === undefined || this.#size < threadFrom) return this.#background
    this.#background = background(() => this.#all())
    this.#background.become(this.#role)
    return this.#background
  }

  #openWanted(background: BackgroundIndex): void {
    for (const strategy of this.#wanted) if (!this.#isOurs(strategy)) background.provider(strategy)
  }

  /** A service is asked from the main thread, where its link is. */
  #isOurs(strategy: string): boolean {
    return strategy === 'cloud'
  }

  #localProviders(makers = searchStrategies()): IndexProviders {
    const tools = (): IndexedTool[] => inIdOrder(this.#all())
    const size = (): number => this.#size
    const source = {
      tools,
      get size() {
        return size()
      },
    }
    return new IndexProviders(source, { ...this.#parts, makers })
  }

  #all(): IndexedTool[] {
    const all: IndexedTool[] = []
    for (const entries of this.#entries.values()) for (const { indexed } of entries.values()) all.push(indexed)
    return all
  }
}

function indexedIn(entries: readonly (readonly [string, Entry])[]): IndexedTool[] {
  return inIdOrder(entries.map(([, { indexed }]) => indexed))
}
