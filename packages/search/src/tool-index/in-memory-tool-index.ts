import { ChangeListeners } from './change-listeners.ts'
import { CursorSigner, invalidCursor, randomCursorKey, readPosition } from './cursor.ts'
import { refuseUnknown, ToolSearchError } from '../errors.ts'
import { IndexDraft, type IndexEntry, toolNotFound } from './index-draft.ts'
import { IndexSearch, MAX_RANKED } from './index-search.ts'
import { SavedReader, SavedWriter, invalidSaved } from '../saved/saved-parts.ts'
import { LoadedTools, saveTools } from '../saved/saved-tools.ts'
import {
  LearnedUses,
  type LearnedUse,
  type ToolUse,
  USE_FIELDS,
  type UseSelector,
  useWeight,
} from '../learning/learned-uses.ts'
import { LexicalProvider } from '../providers/lexical/lexical-provider.ts'
import { identityOfSearch, readCount, readSearchArguments, type SearchArguments } from './search-arguments.ts'
import type { SearchProvider, ToolChange } from '../providers/search-provider.ts'
import { orRefused, readRegistrations, readServerList } from './registrations.ts'
import {
  type BackendSelector,
  isSameBackend,
  preferBackends,
  readBackend,
  type ToolBackend,
} from '../tool/tool-backend.ts'
import { readFilter, toScope } from '../tool/tool-filter.ts'
import type * as Index from './tool-index.ts'
import { type LoadableEntry, ToolStore } from './tool-store.ts'
import { readTool } from '../tool/tool-validation.ts'
import type { IndexedTool, McpTool, Tool } from '../tool/tool.ts'

/** Options of an index in memory. */
export interface ToolIndexOptions {
  /** Ranks the tools. It must be new: the index tells it every tool from the first. Default: `LexicalProvider`. */
  readonly provider?: SearchProvider
  /** Chooses among the backends of a tool. Default: local, then provider, then mcp. */
  readonly backendSelector?: BackendSelector
  /**
   * 16 secret bytes that sign the cursors. Replicas which apply the same changes in the same order can share a key and
   * then take each other's cursors. Default: random, so that cursors are good for this index only.
   */
  readonly cursorKey?: Uint8Array
  /**
   * What was used after which query. Default: empty, comparing queries by their words. Give one with an embedder's
   * `embedNow` to compare them by meaning as well.
   */
  readonly uses?: LearnedUses
}

/** How deep a used tool is looked for among the hits. */
const WEIGHED_DEPTH = 20

const INDEX_OPTIONS: readonly string[] = ['provider', 'backendSelector', 'cursorKey', 'uses']
const NAMESPACE_OPTIONS: readonly string[] = ['within', 'pageSize', 'cursor']

/**
 * A tool index in memory.
 * @throws ToolSearchError INVALID_ARGUMENTS when `cursorKey` does not have 16 bytes
 */
export function createToolIndex(options: ToolIndexOptions = {}): Index.InMemoryToolIndex {
  return new MemoryIndex(options)
}

/**
 * The index whose `save` made these bytes, with its version. With a provider of the same strategy (and, for vectors, an
 * embedder of the same id) it is ready at once; with another one the tools are indexed anew.
 * @throws ToolSearchError INVALID_SAVED_INDEX when the bytes are of another version of the format, cut or altered
 */
export async function loadIndex(bytes: Uint8Array, options: ToolIndexOptions = {}): Promise<Index.InMemoryToolIndex> {
  if (!(bytes instanceof Uint8Array)) throw invalidSaved('a saved index is a Uint8Array')
  const index = new MemoryIndex(options)
  index.restore(new SavedReader(bytes))
  return index
}

class MemoryIndex implements Index.InMemoryToolIndex {
  readonly #store = new ToolStore()
  readonly #listeners = new ChangeListeners<Index.ToolIndexChange>()
  readonly #provider: SearchProvider
  readonly #search: IndexSearch
  readonly #selectBackend: BackendSelector
  readonly #cursors: CursorSigner
  readonly #uses: LearnedUses
  #version = 0

  constructor(options: ToolIndexOptions) {
    refuseUnknown(options, INDEX_OPTIONS)
    this.#provider = options.provider ?? new LexicalProvider()
    this.#uses = options.uses ?? new LearnedUses()
    this.#search = new IndexSearch(this.#store, this.#provider, this.#uses)
    this.#selectBackend = options.backendSelector ?? preferBackends('local', 'provider', 'mcp')
    this.#cursors = new CursorSigner(options.cursorKey ?? randomCursorKey())
  }

  get version(): number {
    return this.#version
  }

  async registerTool(tool: Tool, backend: ToolBackend): Promise<void> {
    const draft = this.#draft()
    draft.register({ tool: readTool(tool), backends: [readBackend(backend)] })
    this.#commit(draft)
  }

  async registerTools(registrations: readonly Index.ToolRegistration[]): Promise<void> {
    const draft = this.#draft()
    for (const entry of readRegistrations(registrations)) draft.register(entry)
    this.#commit(draft)
  }

  async registerToolsFromMCP(
    namespace: string,
    tools: readonly McpTool[],
    options: Index.ServerOptions = {},
  ): Promise<void> {
    const list = readServerList(namespace, tools, options)
    const draft = this.#draft()
    for (const { tool, position } of list.tools.values()) {
      orRefused(options, position, () => draft.register({ tool, backends: list.backends }))
    }
    this.#commit(draft)
  }

  async sync(namespace: string, tools: readonly McpTool[], options: Index.ServerOptions = {}): Promise<Index.ToolDiff> {
    const list = readServerList(namespace, tools, options)
    const [backend] = list.backends
    const draft = this.#draft()
    for (const { tool, position } of list.tools.values()) {
      orRefused(options, position, () => draft.replace({ tool, backends: list.backends }))
    }
    for (const id of this.#store.idsOf(namespace)) {
      if (!list.tools.has(id) && hasBackend(this.#entry(id), backend)) draft.withdraw(id, backend)
    }
    return this.#commit(draft)
  }

  async unregisterBackend(toolId: string, backend: ToolBackend): Promise<void> {
    const draft = this.#draft()
    draft.withdraw(toolId, readBackend(backend))
    this.#commit(draft)
  }

  async getTool(id: string): Promise<Index.RegisteredTool> {
    const { tool, backends } = this.#entry(id)
    const backend = this.#selectBackend(backends, tool)
    if (backend !== undefined) return { tool, backend }
    throw new ToolSearchError('NOT_FOUND', { toolId: id, reason: `no backend of ${id} was selected` })
  }

  async getAllBackends(id: string): Promise<readonly ToolBackend[]> {
    return this.#entry(id).backends
  }

  async search(query: string | readonly string[], options: Index.SearchOptions = {}): Promise<Index.SearchResults> {
    const count = readCount(options.maxResults)
    return this.#search.results(readSearchArguments(query, options), { offset: 0, count, ranked: count })
  }

  async searchPage(
    query: string | readonly string[],
    options: Index.SearchPageOptions = {},
  ): Promise<Index.SearchPage> {
    const strategy = this.#provider.strategy
    if (!this.#provider.deterministic) throw new ToolSearchError('NON_DETERMINISTIC_SEARCHER', { strategy })
    const asked = this.#freezeScope(readSearchArguments(query, options))
    const list = { version: this.#version + this.#uses.revision, identity: identityOfSearch(asked) }
    const position = readPosition(this.#cursors, options, list)

    const { offset, pageSize } = position
    // One more than the page, to know whether there is another.
    const range = { offset, count: pageSize + 1, ranked: MAX_RANKED }
    const { results, ...answer } = await this.#search.results(asked, range)
    const ranker = this.#cursors.rankerMark(answer.answeredBy)
    if (options.cursor !== undefined && ranker !== position.ranker) throw invalidCursor('stale')
    const page = { ...answer, results: results.slice(0, pageSize) }
    if (results.length <= pageSize) return page
    return { ...page, nextCursor: this.#cursors.issue(list, { offset: offset + pageSize, pageSize, ranker }) }
  }

  async listNamespaces(options: Index.NamespaceOptions = {}): Promise<readonly string[]> {
    refuseUnknown(options, NAMESPACE_OPTIONS)
    return this.#store.namespaces(readFilter(options.within))
  }

  async listNamespacesPage(options: Index.NamespacePageOptions = {}): Promise<Index.NamespacePage> {
    refuseUnknown(options, NAMESPACE_OPTIONS)
    const within = readFilter(options.within)
    const scope = within === undefined ? undefined : toScope(within, this.#store.tools())
    const list = { version: this.#version, identity: ['namespaces', scope?.fingerprint ?? 'all'] }
    const { offset, pageSize } = readPosition(this.#cursors, options, list)

    const all = this.#store.namespaces(scope)
    const end = offset + pageSize
    const namespaces = all.slice(offset, end)
    if (end >= all.length) return { namespaces }
    return { namespaces, nextCursor: this.#cursors.issue(list, { offset: end, pageSize, ranker: 0 }) }
  }

  onChange(listener: (event: Index.ToolIndexChange) => void): () => void {
    return this.#listeners.add(listener)
  }

  async save(): Promise<Uint8Array> {
    const to = new SavedWriter()
    const entries = [...this.#store.entries.values()]
    saveTools(
      to,
      entries.map(({ tool }) => tool),
    )
    const lists = new BackendLists()
    const backends = Int32Array.from(entries, (entry) => lists.numberOf(entry.backends))
    to.numbers('index.backends', backends)
    to.json('index', { version: this.#version, strategy: this.#provider.strategy, backendLists: lists.all })
    to.json('index.uses', this.#uses.uses())
    this.#provider.save?.(to)
    return to.joined()
  }

  /** Takes over a saved index; this one must be empty. */
  restore(from: SavedReader): void {
    const tools = new LoadedTools(from)
    const { version, strategy, backendLists } = from.json('index') as SavedIndex
    const numbers = from.ints('index.backends')
    const lists = backendLists.map((list) => Object.freeze(list.map(readBackend)))
    const entries = tools.ids.map((_, place) => new LoadedEntry(tools, place, lists[numbers[place] as number] ?? []))
    if (strategy === this.#provider.strategy && this.#provider.restore !== undefined) {
      this.#provider.restore(from, tools)
    } else {
      const added = [...tools.ids].sort().map((id) => tools.at(tools.placeOf(id) as number))
      if (added.length > 0) this.#tellProvider({ added, changed: [], removed: [] })
    }
    this.#store.restore(entries)
    for (const use of from.json('index.uses') as readonly LearnedUse[]) this.#uses.learn(use)
    this.#version = version
  }

  async learn(use: ToolUse): Promise<void> {
    refuseUnknown(use, USE_FIELDS)
    this.#uses.learn({ ...use, weight: use.weight ?? (await this.#weightOf(use)) })
  }

  async forget(selector: UseSelector = {}): Promise<number> {
    return this.#uses.forget(selector)
  }

  learned(): readonly LearnedUse[] {
    return this.#uses.uses()
  }

  async #weightOf({ query, toolId }: ToolUse): Promise<number> {
    if (typeof query !== 'string' || query.trim() === '') return 1
    const { hits } = await this.#provider.search({ queries: [query], maxResults: WEIGHED_DEPTH })
    const place = hits.findIndex(({ id }) => id === toolId)
    return useWeight(place < 0 ? Number.POSITIVE_INFINITY : place)
  }

  #draft(): IndexDraft {
    return new IndexDraft(this.#store.entries)
  }

  /** The provider goes first: if it fails, the index is as it was. */
  #commit(draft: IndexDraft): Index.ToolDiff {
    const { change, diff } = draft.outcome()
    if (isEmpty(diff)) return diff
    if (!isEmpty(change)) this.#tellProvider(change)
    this.#store.write(draft.staged, change)
    this.#version++
    this.#listeners.tell(Object.freeze({ version: this.#version, ...diff }))
    return diff
  }

  #tellProvider(change: ToolChange): void {
    try {
      this.#provider.apply(change)
    } catch (cause) {
      const reason = `the provider ${this.#provider.strategy} did not take the change`
      throw new ToolSearchError('SEARCH_UNAVAILABLE', { strategy: this.#provider.strategy, reason }, { cause })
    }
  }

  #entry(id: string): IndexEntry {
    const entry = this.#store.entries.get(id)
    if (entry === undefined) throw toolNotFound(id)
    return entry
  }

  /**
   * A set may change and a predicate change its mind between pages; a page is searched within what it was asked for.
   */
  #freezeScope(asked: SearchArguments): SearchArguments {
    return asked.within === undefined ? asked : { ...asked, within: toScope(asked.within, this.#store.tools()) }
  }
}

interface SavedIndex {
  readonly version: number
  readonly strategy: string
  readonly backendLists: readonly (readonly ToolBackend[])[]
}

/** Lists of backends by number. Tools of one server share a list, so that there are few. */
class BackendLists {
  readonly all: (readonly ToolBackend[])[] = []
  readonly #numbers = new Map<string, number>()

  numberOf(list: readonly ToolBackend[]): number {
    const key = JSON.stringify(list)
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    this.#numbers.set(key, this.all.length)
    return this.all.push(list) - 1
  }
}

/** An entry of a loaded index, whose definition is read when it is first needed. */
class LoadedEntry implements LoadableEntry {
  readonly id: string
  readonly namespace: string | undefined
  readonly backends: readonly ToolBackend[]
  readonly #tools: LoadedTools
  readonly #place: number

  constructor(tools: LoadedTools, place: number, backends: readonly ToolBackend[]) {
    this.#tools = tools
    this.#place = place
    this.id = tools.ids[place] as string
    this.namespace = tools.namespaceAt(place)
    this.backends = backends
  }

  get tool(): IndexedTool {
    return this.#tools.at(this.#place)
  }
}

function hasBackend(entry: IndexEntry, backend: ToolBackend): boolean {
  return entry.backends.some((candidate) => isSameBackend(candidate, backend))
}

function isEmpty({ added, changed, removed }: ToolChange | Index.ToolDiff): boolean {
  return added.length + changed.length + removed.length === 0
}
