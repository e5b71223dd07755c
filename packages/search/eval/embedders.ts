import { loadStaticEmbedder } from '@tooldex/embeddings'
import { TransformerEmbedder } from '@tooldex/embeddings-transformer'
import type { Embedder } from '../src/providers/meaning/embedder.ts'

/** An embedder that is made when first needed: a run of peers alone does not wait for it. */
export type LazyEmbedder = () => Embedder

/** The embedder that comes with Tooldex. */
export const lazyStaticEmbedder = (): LazyEmbedder => once(loadStaticEmbedder)

/** The optional sentence model. */
export const lazyTransformer = (): LazyEmbedder => once(() => new TransformerEmbedder({ timeoutMs: 120_000 }))

function once(make: () => Embedder): LazyEmbedder {
  let made: Embedder | undefined
  return () => {
    made ??= make()
    return made
  }
}
