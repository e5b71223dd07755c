import {
  type BackendSelector,
  type McpTool,
  type NamespaceOptions,
  type NamespacePage,
  type NamespacePageOptions,
  preferBackends,
  type RegisteredTool,
  type SearchOptions,
  type SearchPage,
  type SearchPageOptions,
  type SearchProvider,
  type SearchResults,
  type ServerOptions,
  type Tool,
  type ToolBackend,
  type ToolDiff,
  type ToolFilter,
  type ToolIndex,
  type ToolIndexChange,
  type ToolRegistration,
  type ToolScope,
  ToolSearchError,
} from '@tooldex/search'
import {
  type CursorSigner,
  identityOfSearch,
  type IndexDraft,
  type IndexEntry,
  invalidCursor,
  isSameBackend,
  MAX_RANKED,
  readBackend,
  readCount,
  readFilter,
  readPosition,
  readRegistrations,
  readSearchArguments,
  readServerList,
  readTool,
  type SearchArguments,
  toolNotFound,
} from '@tooldex/search/store'
import type { ChangeFeed } from './change-feed.ts'
import { IndexChanges } from './index-changes.ts'
import { IndexReader } from './index-reader.ts'
import { idsOf, scopeOf } from './scope.ts'
import type { Session, Transactions } from './session.ts'
import type { Tables } from './tables.ts'
import { ToolRows } from './tool-rows.ts'
import { isStorable } from './database-text.ts'

/** What an index in PostgreSQL can be made of. */
export interface PostgresToolIndexOptions {
  /** Names the index among those of the database: processes that open the same name share it. Default `default`. */
  readonly name?: string
  /**
   * Ranks the tools instead of the database. It must be new: it is told every tool from the first and of every change, by
   * whichever process, so the whole catalog is in memory. Default: none; the database finds, and `bm25` ranks what it found.
   */
  readonly provider?: SearchProvider
  /** Chooses among the backends of a tool. Default: local, then provider, then mcp. */
  readonly backendSelector?: BackendSelector
  /** 16 secret bytes that sign the cursors. Default: kept in the database, so that every process takes them. */
  readonly cursorKey?: Uint8Array
}

/** What the database says of an index. */
export interface IndexIdentity {
  readonly id: number
  readonly cursorKey: Uint8Array
}

/** What an index works with. */
export interface IndexParts {
  readonly transactions: Transactions
  readonly tables: Tables
  readonly feed: ChangeFeed
  readonly cursors: CursorSigner
}

/**
 * A tool index in PostgreSQL, shared by every process that opens it. `version` and events follow the changes of others
 * within moments; searches and lookups always see the database as it is.
 */
export class PostgresToolIndex implements ToolIndex {
  readonly #transactions: Transactions
  readonly #cursors: CursorSigner
  readonly #rows: ToolRows
  readonly #changes: IndexChanges
  readonly #reader: IndexReader
  readonly #selectBackend: BackendSelector

  /** Use `ToolDatabase.openIndex`. */
  constructor({ id }: IndexIdentity, parts: IndexParts, options: PostgresToolIndexOptions) {
    this.#transactions = parts.transactions
    this.#cursors = parts.cursors
    this.#rows = new ToolRows(id, parts.tables)
    this.#changes = new IndexChanges(id, { ...parts, rows: this.#rows, provider: options.provider })
    this.#reader = new IndexReader(id, { ...parts, rows: this.#rows, changes: this.#changes })
    this.#selectBackend = options.backendSelector ?? preferBackends('local', 'provider', 'mcp')
  }

  /** Brings version and provider up to date, and keeps them there. */
  async prepare(): Promise<void> {
    await this.#changes.start()
  }

  /** Stops following the changes of others. The index in the database stays. */
  close(): void {
    this.#changes.stop()
  }

  get version(): number {
    return this.#changes.version
  }

  async registerTool(tool: Tool, backend: ToolBackend): Promise<void> {
    await this.#register([{ tool: readTool(tool), backends: [readBackend(backend)] as const }])
  }

  async registerTools(registrations: readonly ToolRegistration[]): Promise<void> {
    await this.#register([...readRegistrations(registrations)])
  }

  async registerToolsFromMCP(namespace: string, tools: readonly McpTool[], options: ServerOptions = {}): Promise<void> {
    const list = readServerList(namespace, tools, options)
    await this.#register(Array.from(list.tools.values(), ({ tool }) => ({ tool, backends: list.backends })))
  }

  async sync(namespace: string, tools: readonly McpTool[], options: ServerOptions = {}): Promise<ToolDiff> {
    const list = readServerList(namespace, tools, options)
    const [backend] = list.backends
    return this.#changes.change(
      (session) => this.#rows.entriesOfNamespace(session, namespace, list.tools.keys()),
      (draft, current) => {
        for (const { tool } of list.tools.values()) draft.replace({ tool, backends: list.backends })
        for (const [id, entry] of current) {
          if (entry.tool.namespace !== namespace || list.tools.has(id)) continue
          if (entry.backends.some((candidate) => isSameBackend(candidate, backend))) draft.withdraw(id, backend)
        }
      },
    )
  }

  async unregisterBackend(toolId: string, backend: ToolBackend): Promise<void> {
    const checked = readBackend(backend)
    await this.#changes.change(
      (session) => this.#rows.entries(session, [toolId]),
      (draft) => draft.withdraw(toolId, checked),
    )
  }

  async getTool(id: string): Promise<RegisteredTool> {
    const { tool, backends } = await this.#entry(id)
    const backend = this.#selectBackend(backends, tool)
    if (backend !== undefined) return { tool, backend }
    throw new ToolSearchError('NOT_FOUND', { toolId: id, reason: `no backend of ${id} was selected` })
  }

  async getAllBackends(id: string): Promise<readonly ToolBackend[]> {
    return (await this.#entry(id)).backends
  }

  async search(query: string | readonly string[], options: SearchOptions = {}): Promise<SearchResults> {
    const count = readCount(options.maxResults)
    const asked = readSearchArguments(query, options)
    const { results } = await this.#reader.results(asked, { offset: 0, count, ranked: count })
    return results
  }

  async searchPage(query: string | readonly string[], options: SearchPageOptions = {}): Promise<SearchPage> {
    const { strategy, deterministic } = this.#reader
    if (!deterministic) throw new ToolSearchError('NON_DETERMINISTIC_SEARCHER', { strategy })
    const { asked, version } = await this.#frozen(readSearchArguments(query, options))
    const list = { version, identity: identityOfSearch(asked) }
    const position = readPosition(this.#cursors, options, list)

    const { offset, pageSize } = position
    // One more than the page, to know whether there is another.
    const range = { offset, count: pageSize + 1, ranked: MAX_RANKED }
    const { results: found, version: seen } = await this.#reader.results(asked, range)
    const { results, ...answer } = found
    const ranker = this.#cursors.rankerMark(answer.answeredBy)
    // Between the check of the cursor and the search somebody may have changed the index.
    if (options.cursor !== undefined && (ranker !== position.ranker || seen !== version)) throw invalidCursor('stale')
    const page = { ...answer, results: results.slice(0, pageSize) }
    if (results.length <= pageSize) return page
    const next = { offset: offset + pageSize, pageSize, ranker }
    return { ...page, nextCursor: this.#cursors.issue({ ...list, version: seen }, next) }
  }

  async listNamespaces(options: NamespaceOptions = {}): Promise<readonly string[]> {
    const within = readFilter(options.within)
    return this.#transactions.read(async (session) => {
      const scope = await this.#scopeOf(session, within)
      return this.#rows.namespaces(session, idsOf(scope))
    })
  }

  async listNamespacesPage(options: NamespacePageOptions = {}): Promise<NamespacePage> {
    const within = readFilter(options.within)
    const { all, list } = await this.#transactions.read(async (session) => {
      const scope = await this.#scopeOf(session, within)
      const version = await this.#changes.log.version(session)
      const identity = ['namespaces', scope?.fingerprint ?? 'all']
      return { all: await this.#rows.namespaces(session, idsOf(scope)), list: { version, identity } }
    })
    const { offset, pageSize } = readPosition(this.#cursors, options, list)
    const end = offset + pageSize
    const namespaces = all.slice(offset, end)
    if (end >= all.length) return { namespaces }
    return { namespaces, nextCursor: this.#cursors.issue(list, { offset: end, pageSize, ranker: 0 }) }
  }

  onChange(listener: (event: ToolIndexChange) => void): () => void {
    return this.#changes.onChange(listener)
  }

  async #register(entries: readonly Parameters<IndexDraft['register']>[0][]): Promise<void> {
    await this.#changes.change(
      (session) => this.#rows.entries(session, new Set(entries.map(({ tool }) => tool.id))),
      (draft) => {
        for (const entry of entries) draft.register(entry)
      },
    )
  }

  async #entry(id: string): Promise<IndexEntry> {
    if (!isStorable(id)) throw toolNotFound(id)
    const entry = (await this.#transactions.read((session) => this.#rows.entries(session, [id]))).get(id)
    if (entry === undefined) throw toolNotFound(id)
    return entry
  }

  /** A set may change and a predicate change its mind between pages; a page is searched within what it was asked for. */
  async #frozen(asked: SearchArguments): Promise<{ readonly asked: SearchArguments; readonly version: number }> {
    return this.#transactions.read(async (session) => {
      const within = await this.#scopeOf(session, asked.within)
      return { asked: { ...asked, within }, version: await this.#changes.log.version(session) }
    })
  }

  async #scopeOf(session: Session, within: ToolFilter | undefined): Promise<ToolScope | undefined> {
    return scopeOf(within, () => this.#rows.all(session))
  }
}
