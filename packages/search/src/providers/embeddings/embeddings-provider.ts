import type { Embedder } from '../meaning/embedder.ts'
import { ToolSearchError } from '../../errors.ts'
import type { SavedReader, SavedWriter } from '../../saved/saved-parts.ts'
import type { SavedTools } from '../../saved/saved-tools.ts'
import type { SearchAnswer, SearchProvider, SearchRequest, ToolChange } from '../search-provider.ts'
import { type EmbedderProgress, type EmbeddingOptions, MeaningSearch } from '../meaning/meaning-search.ts'

/**
 * Ranks by meaning alone: tools whose vectors are near the query's. Exact names still come first, and the query
 * language still decides what may be found. Embedders are asked in order of preference; one answers alone.
 */
export class EmbeddingsProvider implements SearchProvider {
  readonly strategy = 'embeddings'
  readonly #meaning: MeaningSearch

  constructor(embedders: readonly Embedder[], options: EmbeddingOptions = {}) {
    this.#meaning = new MeaningSearch(embedders, false, options)
  }

  /** True while no embedder has to be waited for. */
  get deterministic(): boolean {
    return this.#meaning.deterministic
  }

  apply(change: ToolChange): void {
    this.#meaning.apply(change)
  }

  save(to: SavedWriter): void {
    this.#meaning.save(to)
  }

  restore(from: SavedReader, tools: SavedTools): void {
    this.#meaning.restore(from, tools)
  }

  /** @throws ToolSearchError SEARCH_UNAVAILABLE when no embedder can answer. */
  async search(request: SearchRequest): Promise<SearchAnswer> {
    const { hits, embedder, failures } = await this.#meaning.search(request)
    const reason = failures.join('; ')
    if (embedder === undefined) throw new ToolSearchError('SEARCH_UNAVAILABLE', { reason: reason || 'no embedder' })
    const { strategy } = this
    return { hits, answeredBy: strategy, embedder, ...(reason !== '' && { degraded: { strategy, reason } }) }
  }

  /** Other embedders from now on: tools are embedded anew in the background while the old vectors serve. */
  useEmbedders(embedders: readonly Embedder[]): void {
    this.#meaning.useEmbedders(embedders)
  }

  /** How far each embedder is, in order of preference. */
  progress(): readonly EmbedderProgress[] {
    return this.#meaning.progress()
  }

  /** Resolves when nothing is embedded in the background. */
  settled(): Promise<void> {
    return this.#meaning.settled()
  }

  /** Stops what goes on in the background. */
  close(): void {
    this.#meaning.close()
  }
}
