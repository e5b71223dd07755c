import type { VectorCache } from '@tooldex/search'
import { LRUCache } from 'lru-cache'

/** A cache of vectors in memory before a persistent one. A failure of the persistent one costs time and nothing else. */
export class LayeredVectors implements VectorCache {
  readonly #near: LRUCache<string, Int8Array>
  readonly #far: VectorCache | undefined
  readonly #onProblem: (error: unknown) => void

  constructor(most: number, far: VectorCache | undefined, onProblem: (error: unknown) => void) {
    this.#near = new LRUCache({ max: most })
    this.#far = far
    this.#onProblem = onProblem
  }

  async load(embedderId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Int8Array>> {
    const found = new Map<string, Int8Array>()
    for (const hash of hashes) {
      const vector = this.#near.get(nearKey(embedderId, hash))
      if (vector !== undefined) found.set(hash, vector)
    }
    const missing = hashes.filter((hash) => !found.has(hash))
    for (const [hash, vector] of await this.#loadFar(embedderId, missing)) {
      this.#near.set(nearKey(embedderId, hash), vector)
      found.set(hash, vector)
    }
    return found
  }

  async save(embedderId: string, vectors: ReadonlyMap<string, Int8Array>): Promise<void> {
    for (const [hash, vector] of vectors) this.#near.set(nearKey(embedderId, hash), vector)
    try {
      await this.#far?.save(embedderId, vectors)
    } catch (error) {
      this.#onProblem(error)
    }
  }

  async #loadFar(embedderId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Int8Array>> {
    if (this.#far === undefined || hashes.length === 0) return new Map()
    try {
      return await this.#far.load(embedderId, hashes)
    } catch (error) {
      this.#onProblem(error)
      return new Map()
    }
  }
}

function nearKey(embedderId: string, hash: string): string {
  return `${hash} ${embedderId}`
}
