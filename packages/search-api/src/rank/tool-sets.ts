import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { CatalogTool, SearchApiTool, ToolRule } from '@tooldex/contract/search-api'
import { createQueryReader } from '@tooldex/languages'
import {
  type Embedder,
  type EmbedOptions,
  HybridProvider,
  type IndexedTool,
  type SearchAnswer,
  type SearchRequest,
  ToolScope,
} from '@tooldex/search'
import { allowedByRule, type JudgedTool, type ToolRule as EngineRule, TRAIT } from '@tooldex/search/engine'
import { LRUCache } from 'lru-cache'
import { invalid } from '../http/read-request.ts'
import type { SearchApiOptions } from '../options.ts'
import { LayeredVectors } from './layered-vectors.ts'

const INDEXED_TOOLS = 200_000
const VECTORS = 100_000
const EMBED_BUDGET_MS = 1_500

/** Tools that are indexed before other requests get a turn; a few milliseconds of work. */
const TOOLS_PER_TURN = 25

/** What a search sees: the tools of a request, or those of a catalog within a rule. No other tools exist for it. */
export interface SearchedTools {
  readonly size: number
  /** The tools, in no particular order. */
  tools(): Iterable<SearchApiTool>
  tool(toolKey: string): SearchApiTool | undefined
  search(request: Omit<SearchRequest, 'within'>): Promise<SearchAnswer>
}

/** Tools that a rule selects from. */
export interface SearchedCatalog {
  readonly hash: string
  /** The tools that a rule selects. */
  within(rule: ToolRule): SearchedTools | Promise<SearchedTools>
}

/** Rules whose selections are kept for a set. */
const MOST_SELECTIONS = 64

/** Tools that are indexed together. */
export class ToolSet implements SearchedCatalog {
  readonly hash: string
  readonly #byKey: ReadonlyMap<string, CatalogTool>
  readonly #provider: HybridProvider
  readonly #selections = new LRUCache<string, ToolScope>({ max: MOST_SELECTIONS })

  constructor(hash: string, byKey: ReadonlyMap<string, CatalogTool>, provider: HybridProvider) {
    this.hash = hash
    this.#byKey = byKey
    this.#provider = provider
  }

  get size(): number {
    return this.#byKey.size
  }

  all(): SearchedTools {
    return {
      size: this.size,
      tools: () => this.#byKey.values(),
      tool: (key) => this.#byKey.get(key),
      search: (request) => this.#provider.search(request),
    }
  }

  /** The tools that a rule selects. */
  within(rule: ToolRule): SearchedTools {
    if (rule.servers === 'all' && rule.except.length === 0 && rule.traits === undefined) return this.all()
    const scope = this.#selected(rule)
    const tool = (key: string): SearchApiTool | undefined => (scope.has(key) ? this.#byKey.get(key) : undefined)
    return {
      size: scope.size,
      tools: () => [...scope.ids()].flatMap((key) => tool(key) ?? []),
      tool,
      search: (request) => this.#provider.search({ ...request, within: scope }),
    }
  }

  close(): void {
    this.#provider.close()
  }

  #selected(rule: ToolRule): ToolScope {
    const text = ruleText(rule)
    const known = this.#selections.get(text)
    if (known !== undefined) return known
    const isAllowed = allowedByRule(engineRule(rule))
    const selected = [...this.#byKey.values()].filter((tool) => isAllowed(judged(tool)))
    const scope = new ToolScope(selected.map(({ toolKey }) => toolKey))
    this.#selections.set(text, scope)
    return scope
  }
}

/** Equal for rules that say the same in the same order. */
export function ruleText({ servers, except, traits = {} }: ToolRule): string {
  return JSON.stringify([servers, except, traits])
}

/** For the library a tool without a server is of none; here the empty name is one like others. */
function serverId(serverName: string): string {
  return `=${serverName}`
}

/** A rule of a request as the library and engines judge by it. */
export function engineRule({ servers, except, traits: { readOnly, notDestructive } = {} }: ToolRule): EngineRule {
  return {
    tenant: '',
    servers: servers === 'all' ? servers : servers.map(serverId),
    except,
    traits: { ...(readOnly && { readOnly }), ...(notDestructive && { notDestructive }) },
  }
}

/** A tool as a rule judges it. One that only reads destroys nothing. */
export function judged({ toolKey, serverName, traits: { readOnly, notDestructive } = {} }: CatalogTool): JudgedTool {
  const traits = (readOnly ? TRAIT.readOnly : 0) | (readOnly || notDestructive ? TRAIT.notDestructive : 0)
  return { id: toolKey, server: serverId(serverName), traits }
}

/** The options of the sets. */
export interface ToolSetsOptions extends Pick<SearchApiOptions, 'cache' | 'vectors' | 'embedBudgetMs'> {
  readonly embedders: readonly Embedder[]
  readonly onProblem: (error: unknown) => void
}

/** Caches the indexes of tools that were sent before. */
export class ToolSets {
  readonly #embedders: readonly Embedder[]
  readonly queryReader = createQueryReader()
  readonly #vectors: LayeredVectors
  readonly #embedBudgetMs: number
  readonly #sets: LRUCache<string, ToolSet>
  readonly #building = new Map<string, Building>()
  #isClosed = false

  constructor({ embedders, cache = {}, vectors, embedBudgetMs = EMBED_BUDGET_MS, onProblem }: ToolSetsOptions) {
    const most = cache.vectors ?? VECTORS
    const remembered = new LRUCache<string, Float32Array>({ max: most })
    this.#embedders = embedders.map((embedder) => remembering(embedder, remembered))
    this.#vectors = new LayeredVectors(most, vectors, onProblem)
    this.#embedBudgetMs = embedBudgetMs
    this.#sets = new LRUCache({
      maxSize: cache.indexedTools ?? INDEXED_TOOLS,
      sizeCalculation: ({ size }) => Math.max(1, size),
      dispose: (set) => set.close(),
    })
  }

  /**
   * The set of these tools, built if it is not cached.
   * @throws ProblemError REQUEST_INVALID for two tools of one key
   */
  async get(tools: readonly SearchApiTool[]): Promise<ToolSet> {
    return this.open(hashOf(tools), async () => tools)
  }

  /** The set of this hash; `load` is called for its tools if it is not cached. */
  async open(hash: string, load: () => Promise<readonly CatalogTool[]>): Promise<ToolSet> {
    const known = this.#sets.get(hash)
    if (known !== undefined) return known
    return this.#building.get(hash)?.set ?? this.#build(hash, load)
  }

  /** How many tools of a set can be searched now, without building. */
  indexed(hash: string): number {
    return this.#sets.peek(hash)?.size ?? this.#building.get(hash)?.indexed ?? 0
  }

  /** Stops background work. Requests under way are still answered. */
  close(): void {
    this.#isClosed = true
    this.#sets.clear()
  }

  #build(hash: string, load: () => Promise<readonly CatalogTool[]>): Promise<ToolSet> {
    const building: Building = { indexed: 0 }
    building.set = this.#make(hash, load, building).finally(() => this.#building.delete(hash))
    this.#building.set(hash, building)
    return building.set
  }

  async #make(hash: string, load: () => Promise<readonly CatalogTool[]>, building: Building): Promise<ToolSet> {
    const tools = await load()
    const byKey = toolsByKey(tools)
    const provider = new HybridProvider(this.#embedders, { cache: this.#vectors, queryReader: this.queryReader })
    await indexTools(tools, provider, (indexed) => (building.indexed = indexed))
    if (!provider.deterministic) await within(this.#embedBudgetMs, provider.settled())
    const set = new ToolSet(hash, byKey, provider)
    if (this.#isClosed) set.close()
    else this.#sets.set(hash, set)
    return set
  }
}

/** A set that is being made. */
interface Building {
  set?: Promise<ToolSet>
  indexed: number
}

/** Waits for the work, at most so many milliseconds. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

/** An embedder that embeds each text once, where it embeds synchronously; the provider caches the vectors of the others. */
function remembering(embedder: Embedder, vectors: LRUCache<string, Float32Array>): Embedder {
  if (embedder.embedNow === undefined) return embedder
  const embedNow = (text: string): Float32Array => {
    const hash = createHash('sha256').update(embedder.id).update('\n').update(text).digest('base64')
    const known = vectors.get(hash)
    if (known !== undefined) return known
    const vector = embedder.embedNow?.(text) as Float32Array
    vectors.set(hash, vector)
    return vector
  }
  return {
    id: embedder.id,
    ...(embedder.weight !== undefined && { weight: embedder.weight }),
    get dimensions() {
      return embedder.dimensions
    },
    embed: (texts: readonly string[], options?: EmbedOptions) => embedder.embed(texts, options),
    embedNow,
  }
}

/** Equal only for the same tools in the same order: the length of every part precedes it. */
export function hashOf(tools: readonly SearchApiTool[]): string {
  let text = ''
  for (const { toolKey, toolName, serverName, description } of tools) {
    text += `${toolKey.length},${toolName.length},${serverName.length},${description?.length ?? '-'}:`
    text += toolKey + toolName + serverName + (description ?? '')
  }
  return createHash('sha256').update(text, 'utf16le').digest('base64')
}

/** @throws ProblemError REQUEST_INVALID for two tools of one key */
function toolsByKey(tools: readonly CatalogTool[]): ReadonlyMap<string, CatalogTool> {
  const byKey = new Map<string, CatalogTool>()
  for (const [at, tool] of tools.entries()) {
    if (byKey.has(tool.toolKey)) {
      throw invalid('REQUEST_INVALID', [
        { field: `tools[${at}].toolKey`, message: 'is the key of an earlier tool, too' },
      ])
    }
    byKey.set(tool.toolKey, tool)
  }
  return byKey
}

/** Indexes tools a few at a time, so that a large request does not block small ones. */
export async function indexTools(
  tools: readonly SearchApiTool[],
  provider: HybridProvider,
  onProgress: (indexed: number) => void = () => {},
): Promise<void> {
  const indexed = tools.map(toIndexed).toSorted((one, other) => (one.id < other.id ? -1 : 1))
  for (let at = 0; at < indexed.length; at += TOOLS_PER_TURN) {
    if (at > 0) await setImmediate()
    provider.apply({ added: indexed.slice(at, at + TOOLS_PER_TURN), changed: [], removed: [] })
    onProgress(Math.min(at + TOOLS_PER_TURN, indexed.length))
  }
}

/** A tool as it is indexed. */
export function toIndexed({ toolKey, toolName, serverName, description }: SearchApiTool): IndexedTool {
  return {
    id: toolKey,
    name: toolName,
    ...(serverName !== '' && { namespace: serverName }),
    ...(description !== undefined && { description }),
  }
}
