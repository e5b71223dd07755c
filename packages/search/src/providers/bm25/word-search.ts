import type { QueryLeaf, QueryNode } from '../../query/query.ts'
import type { QueryReader } from '../../query/query-reader.ts'
import type { SearchHit, SearchRequest, ToolChange } from '../search-provider.ts'
import type { SavedReader, SavedWriter } from '../../saved/saved-parts.ts'
import type { SavedTools } from '../../saved/saved-tools.ts'
import type { ToolFilter } from '../../tool/tool-filter.ts'
import { synonymsOf } from '../../text/synonyms.ts'
import { distinctQueries } from '../distinct-queries.ts'
import type { Observe } from '../calibrated.ts'
import { fuseRankings, rankingDepth } from '../fuse.ts'
import type { WordStatistics } from './index/word-statistics.ts'
import { Corpus } from './index/corpus.ts'
import { explainHit } from './score/explain-hit.ts'
import { type RankedDocument, Ranker, type Ranking, type WordScores } from './score/ranker.ts'
import { type ReadQuery, readQuery } from './query/read-query.ts'
import { correctSpelling } from './query/spelling.ts'
import { matchStructured } from './query/structured-match.ts'
import { type CorpusView, CorpusViews } from './index/corpus-view.ts'

/** The lexical side of search: one corpus, and what the words of a query say of its documents. */
export class WordSearch {
  readonly corpus: Corpus
  readonly #views: CorpusViews
  readonly #ranker: Ranker
  readonly #reader: QueryReader | undefined

  /** @param catalog the statistics of all tools, where the corpus has only some of them */
  constructor(queryReader?: QueryReader, corpus = new Corpus(), catalog?: WordStatistics) {
    this.corpus = corpus
    this.#views = new CorpusViews(this.corpus, catalog)
    this.#ranker = new Ranker(this.corpus, queryReader)
    this.#reader = queryReader
  }

  apply(change: ToolChange): void {
    // The table of synonyms is built at first use: better while tools are indexed than during the first search.
    synonymsOf('')
    this.corpus.apply(change)
  }

  save(to: SavedWriter): void {
    this.corpus.save(to)
  }

  restore(from: SavedReader, tools: SavedTools): void {
    synonymsOf('')
    this.corpus.restore(from, tools)
  }

  viewOf(filter: ToolFilter | undefined): CorpusView {
    return this.#views.viewOf(filter)
  }

  /** Reads a query for a view: its visible tools decide which words are misspelt. */
  read(query: string, view: CorpusView): ReadQuery {
    const read = readQuery(query)
    if (read.root !== undefined) return read
    return { ...read, text: correctSpelling(read.text, this.corpus, view, this.#reader) }
  }

  /**
   * Scores the documents of a view for a query. Valid until the next one.
   * @param depth how far they will be ranked by the words alone; absent: the scores of all documents are wanted
   */
  score(query: ReadQuery, view: CorpusView, depth?: number): WordScores {
    const { asked, root } = query
    if (root === undefined) return this.#ranker.score(query, view, depth)
    const match = matchStructured(root, this.corpus, view)
    // A phrase that no tool has is a person's habit of quoting rather than a condition.
    if (isLonePhrase(root) && !match.matching.includes(1))
      return this.#ranker.score({ asked: root.text, text: root.text, excluded: '' }, view, depth)
    return this.#ranker.scoreMatching(asked, match, view)
  }

  /** The best documents by scores of words alone. */
  ranking(scores: WordScores, depth: number): readonly RankedDocument[] {
    return this.#ranker.ranking(scores, depth).documents
  }

  /** Answers a search by the words alone. */
  search(request: SearchRequest, observe?: Observe): readonly SearchHit[] {
    const view = this.viewOf(request.within)
    const queries = distinctQueries(request.queries)
    const depth = rankingDepth(queries.length, request.maxResults)
    const rankings = queries.map((query) =>
      this.#ranker.ranking(this.score(this.read(query, view), view, depth), depth, observe),
    )
    const hits = fuseRankings(
      rankings.map((ranking) => this.#found(ranking)),
      request.maxResults,
    )
    return request.explain === true ? hits.map((hit) => this.#explain(hit, rankings)) : hits
  }

  #found(ranking: Ranking): SearchHit[] {
    return ranking.documents.map(({ document, score, relevance, isExact }) => ({
      id: this.corpus.tool(document).id,
      score,
      relevance,
      ...(isExact && { isExact }),
    }))
  }

  #explain(hit: SearchHit, rankings: readonly Ranking[]): SearchHit {
    const document = this.corpus.numberOf(hit.id)
    if (document === undefined) return hit
    const concepts = rankings.flatMap((ranking) => ranking.concepts)
    return { ...hit, explanation: explainHit(document, concepts, this.corpus) }
  }
}

function isLonePhrase(root: QueryNode): root is QueryLeaf {
  return root.kind === 'phrase' && root.field === undefined
}
