import { CircuitBreaker } from '@tooldex/http-kit/breaker'
import { LRUCache } from 'lru-cache'

/** A catalog belongs to the project that uploaded it. */
export interface CatalogKey {
  readonly project: string
  /** SHA-256 of the lines, in hex. */
  readonly hash: string
}

/** The lines of a catalog, packed with gzip. */
export interface StoredCatalog {
  readonly packed: Uint8Array
  /** How many there are. */
  readonly tools: number
}

/** Keeps catalogs by project and hash. Those that are not used for long go, and the least recently used beyond its bounds. */
export interface CatalogStore {
  /** Counts as use. */
  load(key: CatalogKey): Promise<StoredCatalog | undefined>
  save(key: CatalogKey, catalog: StoredCatalog): Promise<void>
  /** Counts as use: the catalog is used without being loaded. */
  touch(key: CatalogKey): Promise<void>
}

/** Of one process, in bytes. */
const MEMORY_BYTES = 256 * 1024 * 1024
/** How long a catalog stays in memory without use. */
const UNUSED_MS = 24 * 60 * 60 * 1_000
const TOUCH_EVERY_MS = 60 * 60 * 1_000
const FAILURES_UNTIL_OPEN = 2
const OPEN_MS = 5_000

interface Kept extends StoredCatalog {
  touchedAt: number
}

/**
 * Catalogs in memory before a store that all processes share. A failure of that store costs other processes an upload and
 * nothing else; while it fails it is asked once in a few seconds.
 */
export class LayeredCatalogs implements CatalogStore {
  readonly #near: LRUCache<string, Kept>
  readonly #far: CatalogStore | undefined
  readonly #breaker: CircuitBreaker
  readonly #now: () => number
  readonly #onProblem: (error: unknown) => void

  constructor({ far, now, onProblem, memoryBytes = MEMORY_BYTES }: LayeredOptions) {
    this.#near = new LRUCache({
      maxSize: memoryBytes,
      sizeCalculation: ({ packed }) => packed.byteLength + 1,
      ttl: UNUSED_MS,
      ttlResolution: 0,
      updateAgeOnGet: true,
      perf: { now },
    })
    this.#far = far
    this.#breaker = new CircuitBreaker({ failures: FAILURES_UNTIL_OPEN, openMs: OPEN_MS, now })
    this.#now = now
    this.#onProblem = onProblem
  }

  async load(key: CatalogKey): Promise<StoredCatalog | undefined> {
    const near = this.#near.get(nearKey(key))
    if (near !== undefined) {
      await this.touch(key)
      return near
    }
    const far = await this.#ask((store) => store.load(key))
    if (far !== undefined) this.#keep(key, far)
    return far
  }

  async save(key: CatalogKey, catalog: StoredCatalog): Promise<void> {
    this.#keep(key, catalog)
    await this.#ask((store) => store.save(key, catalog))
  }

  /** Tells the shared store once an hour. */
  async touch(key: CatalogKey): Promise<void> {
    const near = this.#near.get(nearKey(key))
    if (near === undefined || this.#now() - near.touchedAt < TOUCH_EVERY_MS) return
    near.touchedAt = this.#now()
    void this.#ask((store) => store.touch(key))
  }

  #keep(key: CatalogKey, { packed, tools }: StoredCatalog): void {
    this.#near.set(nearKey(key), { packed, tools, touchedAt: this.#now() })
  }

  async #ask<Result>(work: (store: CatalogStore) => Promise<Result>): Promise<Result | undefined> {
    if (this.#far === undefined || this.#breaker.enter() > 0) return undefined
    try {
      const result = await work(this.#far)
      this.#breaker.succeeded()
      return result
    } catch (error) {
      this.#breaker.failed('the database cannot be used')
      this.#onProblem(error)
      return undefined
    }
  }
}

interface LayeredOptions {
  readonly far: CatalogStore | undefined
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly onProblem: (error: unknown) => void
  /** Of the packed lines in memory. */
  readonly memoryBytes?: number | undefined
}

function nearKey({ project, hash }: CatalogKey): string {
  return `${hash} ${project}`
}
