import { createHash } from 'node:crypto'
import type { SearchApiTool } from '@tooldex/contract/search-api'
import { createQueryReader } from '@tooldex/languages'
import { type Embedder, type EmbedOptions, HybridProvider, type IndexedTool } from '@tooldex/search'
import { LRUCache } from 'lru-cache'
import { invalid } from '../http/read-request.ts'
import type { SearchApiOptions } from '../options.ts'
import { LayeredVectors } from './layered-vectors.ts'

const INDEXED_TOOLS = 200_000
const VECTORS = 100_000
const EMBED_BUDGET_MS = 1_500

/** Tools that are indexed before other requests get a turn; a few milliseconds of work. */
const TOOLS_PER_TURN = 25

/** The tools of a request, ready to be searched. */
export interface ToolSet {
  readonly hash: string
  readonly byKey: ReadonlyMap<string, SearchApiTool>
  readonly provider: HybridProvider
}

/** The options of the sets. */
export interface ToolSetsOptions extends Pick<SearchApiOptions, 'cache' | 'vectors' | 'embedBudgetMs'> {
  readonly embedders: readonly Embedder[]
  readonly onProblem: (error: unknown) => void
}

/** Caches the indexes of tools that were sent before. */
export class ToolSets {
  readonly #embedders: readonly Embedder[]
  readonly #queryReader = createQueryReader()
  readonly #vectors: LayeredVectors
  readonly #embedBudgetMs: number
  readonly #sets: LRUCache<string, ToolSet>
  readonly #building = new Map<string, Promise<ToolSet>>()
  #isClosed = false

  constructor({ embedders, cache = {}, vectors, embedBudgetMs = EMBED_BUDGET_MS, onProblem }: ToolSetsOptions) {
    const most = cache.vectors ?? VECTORS
    const remembered = new LRUCache<string, Float32Array>({ max: most })
    this.#embedders = embedders.map((embedder) => remembering(embedder, remembered))
    this.#vectors = new LayeredVectors(most, vectors, onProblem)
    this.#embedBudgetMs = embedBudgetMs
    this.#sets = new LRUCache({
      maxSize: cache.indexedTools ?? INDEXED_TOOLS,
      sizeCalculation: ({ byKey }) => byKey.size,
      dispose: ({ provider }) => provider.close(),
    })
  }

  /**
   * The set of these tools, built if it is not cached.
   * @throws ProblemError REQUEST_INVALID for two tools of one key
   */
  async get(tools: readonly SearchApiTool[]): Promise<ToolSet> {
    const hash = hashOf(tools)
    const known = this.#sets.get(hash)
    if (known !== undefined) return known
    return this.#building.get(hash) ?? this.#build(hash, tools)
  }

  /** Stops background work. Requests under way are still answered. */
  close(): void {
    this.#isClosed = true
    this.#sets.clear()
  }

  #build(hash: string, tools: readonly SearchApiTool[]): Promise<ToolSet> {
    const built = this.#make(hash, tools).finally(() => this.#building.delete(hash))
    this.#building.set(hash, built)
    return built
  }

  async #make(hash: string, tools: readonly SearchApiTool[]): Promise<ToolSet> {
    const byKey = toolsByKey(tools)
    const provider = new HybridProvider(this.#embedders, { cache: this.#vectors, queryReader: this.#queryReader })
    await indexTools(tools, provider)
    if (!provider.deterministic) await within(this.#embedBudgetMs, provider.settled())
    const set = { hash, byKey, provider }
    if (this.#isClosed) provider.close()
    else this.#sets.set(hash, set)
    return set
  }
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
function toolsByKey(tools: readonly SearchApiTool[]): ReadonlyMap<string, SearchApiTool> {
  const byKey = new Map<string, SearchApiTool>()
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
export async function indexTools(tools: readonly SearchApiTool[], provider: HybridProvider): Promise<void> {
  const indexed = tools.map(toIndexed).toSorted((one, other) => (one.id < other.id ? -1 : 1))
  for (let at = 0; at < indexed.length; at += TOOLS_PER_TURN) {
    if (at > 0) await turnOfOthers()
    provider.apply({ added: indexed.slice(at, at + TOOLS_PER_TURN), changed: [], removed: [] })
  }
}

function toIndexed({ toolKey, toolName, serverName, description }: SearchApiTool): IndexedTool {
  return {
    id: toolKey,
    name: toolName,
    ...(serverName !== '' && { namespace: serverName }),
    ...(description !== undefined && { description }),
  }
}

function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
