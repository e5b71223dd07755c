import { refuseUnknown } from '../../errors.ts'
import type { QueryReader } from '../../query/query-reader.ts'
import type { SearchAnswer, SearchProvider, SearchRequest, ToolChange } from '../search-provider.ts'
import type { SavedReader, SavedWriter } from '../../saved/saved-parts.ts'
import type { SavedTools } from '../../saved/saved-tools.ts'
import { WordSearch } from './word-search.ts'

/** Options of `Bm25Provider`. */
export interface Bm25Options {
  /** Reads queries that are not in English; without it every query is taken as typed. */
  readonly queryReader?: QueryReader
}

/**
 * Ranks by BM25F over names, descriptions, servers and parameters, with synonyms, neighbouring words and the server as
 * a document of its own; understands the query language. Everything is kept in memory and updated in place; a filter
 * changes the statistics, too.
 */
export class Bm25Provider implements SearchProvider {
  readonly strategy = 'bm25'
  readonly deterministic = true
  readonly #words: WordSearch

  /** @throws ToolSearchError INVALID_ARGUMENTS for an option that does not exist */
  constructor(options: Bm25Options = {}) {
    refuseUnknown(options, ['queryReader'])
    this.#words = new WordSearch(options.queryReader)
  }

  apply(change: ToolChange): void {
    this.#words.apply(change)
  }

  save(to: SavedWriter): void {
    this.#words.save(to)
  }

  restore(from: SavedReader, tools: SavedTools): void {
    this.#words.restore(from, tools)
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    request.signal?.throwIfAborted()
    return { hits: this.#words.search(request), answeredBy: this.strategy }
  }
}
