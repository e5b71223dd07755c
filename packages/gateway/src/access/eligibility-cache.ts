import { LRUCache } from 'lru-cache'
import type { CatalogSnapshot } from '../catalog/catalog.ts'
import { type EligibleTools, eligibleTools } from './eligible-tools.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'

const MOST_ENTRIES = 1_000
/** Maximum number of tools over all entries; bounds the memory for large catalogs. */
const MOST_TOOLS = 500_000

/**
 * Caches the results of `eligibleTools` by the identity of its four arguments. These are immutable, so that identical objects
 * always give the same result.
 */
export class EligibilityCache {
  readonly #numbers = new WeakMap<object, number>()
  #lastNumber = 0
  #catalog: CatalogSnapshot | undefined
  readonly #answers = new LRUCache<string, EligibleTools>({
    max: MOST_ENTRIES,
    maxSize: MOST_TOOLS,
    sizeCalculation: ({ list }) => list.length + 1,
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
    }
    const key = [principal, project, serverTools].map((part) => this.#numberOf(part)).join(' ')
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const answer = eligibleTools(principal, project, serverTools, catalog)
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
