import type { SearchApiTool } from '@tooldex/contract/search-api'
import { type Embedder, HybridProvider } from '@tooldex/search'
import { LRUCache } from 'lru-cache'
import type { SearchApiOptions } from '../options.ts'
import { LayeredVectors } from './layered-vectors.ts'
import { remembering } from './remembering-embedder.ts'
import { hashOf, indexTools, type ToolSet, toolsByKey } from './tool-set.ts'

const INDEXED_TOOLS = 200_000
const VECTORS = 100_000
const EMBED_BUDGET_MS = 1_500

/** What the sets need. */
export interface ToolSetsOptions extends Pick<SearchApiOptions, 'cache' | 'vectors' | 'embedBudgetMs'> {
  readonly embedders: readonly Embedder[]
  readonly onProblem: (error: unknown) => void
}

/** Sets of tools that were sent before, so that the same tools again cost nothing. */
export class ToolSets {
  readonly #embedders: readonly Embedder[]
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
   * The set of these tools, built when they are new.
   * @throws ProblemError REQUEST_INVALID for two tools of one key
   */
  async get(tools: readonly SearchApiTool[]): Promise<ToolSet> {
    const hash = hashOf(tools)
    const known = this.#sets.get(hash)
    if (known !== undefined) return known
    return this.#building.get(hash) ?? this.#build(hash, tools)
  }

  /** Stops what goes on in the background. Who is about to be answered still is. */
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
    const provider = new HybridProvider(this.#embedders, { cache: this.#vectors })
    await indexTools(tools, provider)
    if (!provider.deterministic) await within(this.#embedBudgetMs, provider.settled())
    const set = { hash, byKey, provider }
    if (this.#isClosed) provider.close()
    else this.#sets.set(hash, set)
    return set
  }
}

/** Waits, but not for longer than that. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
