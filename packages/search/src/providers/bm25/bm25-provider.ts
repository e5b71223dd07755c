import { parseQuery } from '../../query/parse-query.ts'
import type { QueryLeaf, QueryNode } from '../../query/query.ts'
import type { SearchAnswer, SearchHit, SearchProvider, SearchRequest, ToolChange } from '../../search-provider.ts'
import { synonymsOf } from '../../text/synonyms.ts'
import { distinctQueries } from '../distinct-queries.ts'
import { fuseRankings } from '../fuse.ts'
import type { CatalogStatistics } from './catalog-statistics.ts'
import { Corpus } from './corpus.ts'
import { explainHit } from './explain-hit.ts'
import { MOST_PATTERNS, MOST_QUERY_CHARACTERS } from './parameters.ts'
import { Ranker, type Ranking } from './ranker.ts'
import { countPatterns, matchStructured } from './structured-match.ts'
import { type View, ViewCache } from './view.ts'

/**
 * How far each of several queries is ranked at least, whatever is asked for: a tool's relevance is its best over all
 * of them, and must not depend on how many hits are wanted.
 */
const FUSION_DEPTH = 100

/** What the provider can be told. */
export interface Bm25Options {
  /**
   * For a store that finds candidates by itself and has them ranked here: the statistics of all its tools. Searches
   * within a filter keep the statistics of the tools that were handed over.
   */
  readonly catalog?: CatalogStatistics
}

/**
 * Ranks by BM25F over names, descriptions, servers and parameters, with synonyms, neighbouring words and the server as a
 * document of its own; understands the query language. Everything is kept in memory and updated in place; a filter
 * changes the statistics, too.
 */
export class Bm25Provider implements SearchProvider {
  readonly strategy = 'bm25'
  readonly deterministic = true
  readonly #corpus = new Corpus()
  readonly #views: ViewCache
  readonly #ranker = new Ranker(this.#corpus)

  constructor(options: Bm25Options = {}) {
    this.#views = new ViewCache(this.#corpus, options.catalog)
  }

  apply(change: ToolChange): void {
    // The table of synonyms is built when first asked: better while tools are read than in somebody's first search.
    synonymsOf('')
    this.#corpus.apply(change)
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    request.signal?.throwIfAborted()
    const view = this.#views.viewOf(request.within)
    const queries = distinctQueries(request.queries)
    const depth = queries.length > 1 ? Math.max(request.maxResults, FUSION_DEPTH) : request.maxResults
    const rankings = queries.map((query) => this.#rank(query, view, depth))
    const hits = fuseRankings(
      rankings.map((ranking) => this.#found(ranking)),
      request.maxResults,
    )
    return {
      hits: request.explain === true ? hits.map((hit) => this.#explain(hit, rankings)) : hits,
      answeredBy: this.strategy,
    }
  }

  #rank(query: string, view: View, depth: number): Ranking {
    const text = query.slice(0, MOST_QUERY_CHARACTERS)
    const { root, structured } = parseQuery(text)
    if (root === null || !structured || countPatterns(root) > MOST_PATTERNS) return this.#ranker.rank(text, view, depth)
    const match = matchStructured(root, this.#corpus, view)
    // A phrase that no tool has is a person's habit of quoting rather than a condition.
    if (isLonePhrase(root) && !match.matching.includes(1)) return this.#ranker.rank(root.text, view, depth)
    return this.#ranker.rankMatching(text, match, view, depth)
  }

  #found(ranking: Ranking): SearchHit[] {
    return ranking.documents.map(({ document, score, relevance }) => ({
      id: this.#corpus.tool(document).id,
      score,
      relevance,
    }))
  }

  #explain(hit: SearchHit, rankings: readonly Ranking[]): SearchHit {
    const document = this.#corpus.numberOf(hit.id)
    if (document === undefined) return hit
    const concepts = rankings.flatMap((ranking) => ranking.concepts)
    return { ...hit, explanation: explainHit(document, concepts, this.#corpus) }
  }
}

function isLonePhrase(root: QueryNode): root is QueryLeaf {
  return root.kind === 'phrase' && root.field === undefined
}
