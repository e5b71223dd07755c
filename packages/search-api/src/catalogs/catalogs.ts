import { webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { CatalogState } from '@tooldex/contract/search-api'
import { ProblemError } from '../problem-error.ts'
import type { EngineCatalogs } from '../engine/engine-catalogs.ts'
import type { SearchedCatalog, ToolSets } from '../rank/tool-sets.ts'
import type { CatalogKey, CatalogStore } from './catalog-store.ts'
import { readCatalog } from './read-catalog.ts'

const pack = promisify(gzip)
const unpack = promisify(gunzip)

/** What keeps and indexes the catalogs. */
interface CatalogsParts {
  readonly store: CatalogStore
  /** Indexes in memory. */
  readonly sets: ToolSets
  /** Those of large catalogs, where there is an engine. */
  readonly engines: EngineCatalogs | undefined
  readonly limits: { readonly bytes: number; readonly tools: number }
}

/** The catalogs that callers uploaded: kept by project and hash, indexed when a search needs them. */
export class Catalogs {
  readonly #parts: CatalogsParts

  constructor(parts: CatalogsParts) {
    this.#parts = parts
  }

  /** What is known of a catalog; undefined if the service does not have it. */
  async state(key: CatalogKey): Promise<CatalogState | undefined> {
    const stored = await this.#parts.store.load(key)
    if (stored === undefined) return undefined
    return { hash: key.hash, tools: stored.tools, indexed: this.#indexFor(stored.tools).indexed(key.hash) }
  }

  /**
   * Keeps a catalog and begins to index it.
   * @throws ProblemError CATALOG_MISMATCH, REQUEST_INVALID, REQUEST_TOO_LARGE
   */
  async put(key: CatalogKey, lines: Buffer): Promise<CatalogState> {
    const { hash } = key
    const actual = Buffer.from(await webcrypto.subtle.digest('SHA-256', lines)).toString('hex')
    if (actual !== hash) {
      throw new ProblemError('CATALOG_MISMATCH', `The lines have the hash ${actual}. Upload them under that one.`)
    }
    const { store, limits } = this.#parts
    const tools = await readCatalog(lines, limits.tools)
    await store.save(key, { packed: await pack(lines), tools: tools.length })
    const index = this.#indexFor(tools.length)
    // A failure is that of the search that needs the index.
    index.open(hash, async () => tools).catch(() => {})
    return { hash, tools: tools.length, indexed: index.indexed(hash) }
  }

  /** @throws ProblemError CATALOG_UNKNOWN */
  async open(key: CatalogKey): Promise<SearchedCatalog> {
    const { store, limits } = this.#parts
    // Asked for each search, though the index may be there: another project may have uploaded it.
    const stored = await store.load(key)
    if (stored === undefined) throw unknownCatalog(key.hash)
    return this.#indexFor(stored.tools).open(key.hash, async () => {
      const lines = await unpack(stored.packed, { maxOutputLength: limits.bytes })
      return readCatalog(lines, limits.tools)
    })
  }

  /** The one place that decides where the index of a catalog is. */
  #indexFor(tools: number): ToolSets | EngineCatalogs {
    const { sets, engines } = this.#parts
    return engines !== undefined && tools > engines.narrowTools ? engines : sets
  }
}

/** The answer to the hash of a catalog that the service does not have. */
export function unknownCatalog(hash: string): ProblemError {
  return new ProblemError('CATALOG_UNKNOWN', `Upload it with PUT /v1/catalogs/${hash}, then search again.`)
}
