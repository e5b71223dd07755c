import { createHash } from 'node:crypto'
import type { Embedder, EmbedOptions } from '@tooldex/search'
import type { LRUCache } from 'lru-cache'

/** Vectors by a hash of embedder and text. */
export type RememberedVectors = LRUCache<string, Float32Array>

/**
 * An embedder that does not embed a text twice. Only those that need no waiting are asked text by text; the others' tools
 * are kept by the provider's own cache of vectors.
 */
export function remembering(embedder: Embedder, vectors: RememberedVectors): Embedder {
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
