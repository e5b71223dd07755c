import type { Embedder } from '../meaning/embedder.ts'
import type { SavedReader, SavedWriter } from '../../saved/saved-parts.ts'
import type { SavedTools } from '../../saved/saved-tools.ts'
import type { SearchAnswer, SearchProvider, SearchRequest, ToolChange } from '../search-provider.ts'
import { type EmbedderProgress, type EmbeddingOptions, MeaningSearch } from '../meaning/meaning-search.ts'

/**
 * Ranks by words and meaning together: `bm25` and vectors over the same tools, their scores added. Finds tools that
 * share no word with the query, puts exact names first and understands the query language. Where no embedder can
 * answer, it answers as `bm25` and reports why.
 */
export class HybridProvider implements SearchProvider {
  readonly strategy = 'hybrid'
  readonly #meaning: MeaningSearch

  /** `bm25` over the same tools, without a second index of them. Changes come in through the whole alone. */
  readonly byWords: SearchProvider

  constructor(embedders: readonly Embedder[], options: EmbeddingOptions = {}) {
    this.#meaning = new MeaningSearch(embedders, true, options)
    this.byWords = {
      strategy: 'bm25',
      deterministic: true,
      apply: () => {},
      search: async (request) => {
        request.signal?.throwIfAborted()
        return { hits: this.#meaning.words.search(request), answeredBy: 'bm25' }
      },
    }
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

  async search(request: SearchRequest): Promise<SearchAnswer> {
    const { hits, embedder, failures } = await this.#meaning.search(request)
    const { strategy } = this
    const reason = failures.join('; ')
    if (embedder === undefined) {
      const degraded = { strategy, reason: reason || 'no embedder' }
      return { hits: this.#meaning.words.search(request), answeredBy: 'bm25', degraded }
    }
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
