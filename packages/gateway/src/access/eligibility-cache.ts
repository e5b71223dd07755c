import { LRUCache } from 'lru-cache'
import type { CatalogSnapshot } from '../catalog/catalog.ts'
import { type EligibleTools, eligibleTools } from './eligible-tools.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'
import { ToolPositions } from './tool-positions.ts'

/** Bounds the memory for many callers of large catalogs. */
const MOST_BYTES = 32 * 1024 * 1024
/** Of an entry beside its tools and servers, and of each of its servers, which it lists twice. */
const ENTRY_BYTES = 1_024
const SERVER_BYTES = 16

/**
 * Caches the results of `eligibleTools` by the identity of its four arguments. These are immutable, so that identical objects
 * always give the same result.
 */
export class EligibilityCache {
  readonly #numbers = new WeakMap<object, number>()
  #lastNumber = 0
  #catalog: CatalogSnapshot | undefined
  #positions = new ToolPositions([])
  readonly #answers = new LRUCache<string, EligibleTools>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ servers }) => ENTRY_BYTES + SERVER_BYTES * servers.length + Math.ceil(this.#positions.size / 8),
  })

  /** Like the function of the same name. */
  eligibleTools(
    principal: Principal,
    project: Project,
    serverTools: ServerToolPermissions,
    catalog: CatalogSnapshot,
  ): EligibleTools {
    if (this.#catalog !== catalog) {
      this.#answers.clear()
      this.#catalog = catalog
      this.#positions = new ToolPositions(catalog.servers)
    }
    const key = [principal, project, serverTools].map((part) => this.#numberOf(part)).join(' ')
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const answer = eligibleTools(principal, project, serverTools, catalog, this.#positions)
    this.#answers.set(key, answer)
    return answer
  }

  #numberOf(part: object): number {
    const known = this.#numbers.get(part)
    if (known !== undefined) return known
    this.#lastNumber++
    this.#numbers.set(part, this.#lastNumber)
    return this.#lastNumber
  }
}
