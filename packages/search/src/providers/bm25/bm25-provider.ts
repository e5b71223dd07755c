import type { SearchAnswer, SearchProvider, SearchRequest, ToolChange } from '../../search-provider.ts'
import { WordSearch } from './word-search.ts'

/**
 * Ranks by BM25F over names, descriptions, servers and parameters, with synonyms, neighbouring words and the server as a
 * document of its own; understands the query language. Everything is kept in memory and updated in place; a filter
 * changes the statistics, too.
 */
export class Bm25Provider implements SearchProvider {
  readonly strategy = 'bm25'
  readonly deterministic = true
  readonly #words = new WordSearch()

  apply(change: ToolChange): void {
    this.#words.apply(change)
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    request.signal?.throwIfAborted()
    return { hits: this.#words.search(request), answeredBy: this.strategy }
  }
}
