import type { SearchAnswer, SearchHit, SearchProvider, SearchRequest, ToolChange } from '../../search-provider.ts'
import { distinctQueries } from '../distinct-queries.ts'
import { fuseRankings } from '../fuse.ts'
import { Corpus } from './corpus.ts'
import { MOST_QUERY_CHARACTERS } from './parameters.ts'
import { Ranker, type Ranking } from './ranker.ts'
import { ViewCache } from './view.ts'

/**
 * Ranks by BM25F over names, descriptions, servers and parameters, with synonyms, neighbouring words and the server as a
 * document of its own. Everything is kept in memory and updated in place; a filter changes the statistics, too.
 */
export class Bm25Provider implements SearchProvider {
  readonly strategy = 'bm25'
  readonly deterministic = true
  readonly #corpus = new Corpus()
  readonly #views = new ViewCache(this.#corpus)
  readonly #ranker = new Ranker(this.#corpus)

  apply(change: ToolChange): void {
    this.#corpus.apply(change)
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    request.signal?.throwIfAborted()
    const view = this.#views.viewOf(request.within)
    const limit = request.maxResults
    const rankings = distinctQueries(request.queries).map((query) =>
      this.#ranker.rank(query.slice(0, MOST_QUERY_CHARACTERS), view, limit),
    )
    const fused = fuseRankings(rankings.map((ranking) => this.#found(ranking)), limit)
    return { hits: fused, answeredBy: this.strategy }
  }

  #found(ranking: Ranking): SearchHit[] {
    return ranking.documents.map(({ document, score, relevance }) => ({
      id: this.#corpus.document(document).tool.id,
      score,
      relevance,
    }))
  }
}
