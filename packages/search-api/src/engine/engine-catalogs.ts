import type { CatalogTool } from '@tooldex/contract/search-api'
import { LRUCache } from 'lru-cache'
import { EngineCatalog, type EngineParts, NARROW_TOOLS } from './engine-catalog.ts'

const MOST_TOOLS = 2_000_000
const TIDY_EVERY_MS = 60 * 60 * 1_000

/** The catalogs on engines that are open, those used least recently closed within a budget of tools. */
export class EngineCatalogs {
  readonly #parts: EngineParts
  readonly #open: LRUCache<string, EngineCatalog>
  readonly #opening = new Map<string, Promise<EngineCatalog>>()
  readonly #closing = new Set<Promise<void>>()
  readonly #tidying: NodeJS.Timeout
  #isClosed = false

  constructor(parts: EngineParts, mostTools: number = MOST_TOOLS) {
    this.#parts = parts
    this.#open = new LRUCache({
      maxSize: mostTools,
      // A catalog larger than the budget has it alone.
      sizeCalculation: ({ size }) => Math.min(size, mostTools),
      dispose: (catalog) => this.#close(catalog),
    })
    this.#tidying = setInterval(() => void this.#tidy(), TIDY_EVERY_MS).unref()
    void this.#tidy()
  }

  /** Catalogs of up to so many tools need no engine. */
  get narrowTools(): number {
    return this.#parts.engines.narrowTools ?? NARROW_TOOLS
  }

  /** The catalog of this hash; `load` is called for its tools if it is not open. Writes it if no instance did. */
  open(hash: string, load: () => Promise<readonly CatalogTool[]>): Promise<EngineCatalog> {
    const known = this.#open.get(hash)
    if (known !== undefined) return Promise.resolve(known)
    const opening = this.#opening.get(hash) ?? this.#opened(hash, load).finally(() => this.#opening.delete(hash))
    this.#opening.set(hash, opening)
    return opening
  }

  /** How many tools of a catalog the engine is known to have. */
  indexed(hash: string): number {
    return this.#open.peek(hash)?.indexed ?? 0
  }

  /** Resolves once nothing writes any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#tidying)
    this.#open.clear()
    await Promise.all(this.#closing)
  }

  async #opened(hash: string, load: () => Promise<readonly CatalogTool[]>): Promise<EngineCatalog> {
    const catalog = new EngineCatalog(hash, await load(), this.#parts)
    if (this.#isClosed) this.#close(catalog)
    else this.#open.set(hash, catalog)
    return catalog
  }

  async #tidy(): Promise<void> {
    const { engines, onProblem } = this.#parts
    const inUse = Array.from(this.#open.values(), ({ name }) => name)
    await engines.tidy?.(inUse).catch(onProblem)
  }

  #close(catalog: EngineCatalog): void {
    const closing = catalog.close().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }
}
