import { loadStaticEmbedder } from '@tooldex/embeddings'
import type { Embedder } from '../src/providers/meaning/embedder.ts'

/** An embedder that is made when first needed: a run of peers alone does not wait for it. */
export type LazyEmbedder = () => Embedder

/** The embedder that comes with Tooldex. */
export const lazyStaticEmbedder = (): LazyEmbedder => once(loadStaticEmbedder)

function once(make: () => Embedder): LazyEmbedder {
  let made: Embedder | undefined
  return () => {
    made ??= make()
    return made
  }
}
