import type { HybridProvider, IndexedTool, SearchProvider, ToolScope } from '@tooldex/search'
import { LRUCache } from 'lru-cache'

/** Makes an empty index. */
type IndexMaker = () => Promise<HybridProvider>

interface NarrowScopesParts {
  readonly tools: ReadonlyMap<string, IndexedTool>
  readonly make: IndexMaker
  /** Scopes of more tools are wide. */
  readonly mostTools?: number
  /** How much the kept indexes may take, in bytes. */
  readonly mostBytes?: number
}

const MOST_NARROW = 5_000
/** What the index of one tool takes. */
const TOOL_BYTES = 12 * 1024
const MOST_BYTES = 256 * 1024 * 1024
/** Tools that are indexed before others have their turn: some 20 milliseconds. */
const BATCH = 100

interface Narrow {
  readonly provider: HybridProvider
  /** The tools that the provider has. */
  readonly indexed: Map<string, IndexedTool>
  revision: number
}

/**
 * Exact indexes of the scopes that few tools are in, kept by use within a budget. Most callers have such a scope, and their
 * searches need no engine.
 */
export class NarrowScopes {
  readonly #parts: NarrowScopesParts
  readonly #kept: LRUCache<ToolScope, Narrow>
  readonly #opening = new WeakMap<ToolScope, Promise<Narrow>>()
  /** Scopes that were too wide at a revision: counting them again takes long. */
  readonly #wide = new WeakMap<ToolScope, number>()

  constructor(parts: NarrowScopesParts) {
    this.#parts = parts
    this.#kept = new LRUCache({
      maxSize: parts.mostBytes ?? MOST_BYTES,
      sizeCalculation: ({ indexed }) => TOOL_BYTES * (indexed.size + 1),
    })
  }

  /** The index of a scope; undefined for a wide one. @param revision of the tools; changes whenever they do */
  async providerFor(scope: ToolScope, strategy: string, revision: number): Promise<SearchProvider | undefined> {
    if (this.#wide.get(scope) === revision) return undefined
    const known = this.#kept.get(scope)
    const isCurrent = known?.revision === revision
    const narrow = isCurrent ? known : await this.#opened(scope, revision)
    if (narrow === undefined) return undefined
    return strategy === 'bm25' ? narrow.provider.byWords : narrow.provider
  }

  /** One search at a time brings an index up to date; the others wait for it, and try again where it failed. */
  async #opened(scope: ToolScope, revision: number): Promise<Narrow | undefined> {
    const tools = this.#toolsIn(scope)
    if (tools === undefined) {
      this.#wide.set(scope, revision)
      this.#kept.delete(scope)
      return undefined
    }
    const before = this.#opening.get(scope)?.catch(() => undefined)
    const opening = (before ?? Promise.resolve()).then(() => this.#update(scope, tools, revision))
    this.#opening.set(scope, opening)
    return opening
  }

  #toolsIn(scope: ToolScope): ReadonlyMap<string, IndexedTool> | undefined {
    const { mostTools = MOST_NARROW } = this.#parts
    const tools = new Map<string, IndexedTool>()
    for (const id of scope.ids()) {
      const tool = this.#parts.tools.get(id)
      if (tool !== undefined) tools.set(id, tool)
      if (tools.size > mostTools) return undefined
    }
    return tools
  }

  async #update(scope: ToolScope, tools: ReadonlyMap<string, IndexedTool>, revision: number): Promise<Narrow> {
    const known = this.#kept.get(scope)
    const narrow = known ?? { provider: await this.#parts.make(), indexed: new Map(), revision: -1 }
    if (narrow.revision >= revision) return narrow
    const { provider, indexed } = narrow
    const removed = [...indexed.values()].filter(({ id }) => !tools.has(id))
    if (removed.length > 0) provider.apply({ added: [], changed: [], removed })
    for (const { id } of removed) indexed.delete(id)
    const fresh = [...tools.values()].filter((tool) => indexed.get(tool.id) !== tool)
    for (let from = 0; from < fresh.length; from += BATCH) {
      const batch = fresh.slice(from, from + BATCH)
      const isKnown = ({ id }: IndexedTool): boolean => indexed.has(id)
      provider.apply({ added: batch.filter((tool) => !isKnown(tool)), changed: batch.filter(isKnown), removed: [] })
      for (const tool of batch) indexed.set(tool.id, tool)
      await othersTurn()
    }
    narrow.revision = revision
    this.#kept.set(scope, narrow)
    return narrow
  }
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
