import type { Embedder, VectorCache } from './embedder.ts'
import { refuseUnknown, ToolSearchError } from '../../errors.ts'
import type { SavedReader, SavedWriter } from '../../saved/saved-parts.ts'
import type { SavedTools } from '../../saved/saved-tools.ts'
import type { QueryReader } from '../../query/query-reader.ts'
import type { SearchHit, SearchRequest, ToolChange } from '../search-provider.ts'
import type { Concept } from '../bm25/query/concepts.ts'
import { explainHit } from '../bm25/score/explain-hit.ts'
import type { CorpusView } from '../bm25/index/corpus-view.ts'
import { WordSearch } from '../bm25/word-search.ts'
import { distinctQueries } from '../distinct-queries.ts'
import type { Observe } from '../calibrated.ts'
import { fuseRankings, rankingDepth } from '../fuse.ts'
import { type Calibration, NOTHING_MEASURED } from './calibration.ts'
import { failureReason } from './checked-vectors.ts'
import { type EmbeddableQuery, embeddableQuery, textsFor } from './embeddable-query.ts'
import type { EmbeddedTools } from './embedded-tools.ts'
import { EmbedderSets } from './embedder-sets.ts'
import { type MeantQuery, withMeaning } from './explain-meaning.ts'
import { type FusedDocument, FusedRanking } from './fused-ranking.ts'
import { MeaningScores } from './meaning-scores.ts'
import { QUERY_BUDGET_MS } from './parameters.ts'

/** How a provider embeds. */
export interface EmbeddingOptions {
  /** Reads queries that are not in English; without it every query is taken as typed. */
  readonly queryReader?: QueryReader
  /** Keeps vectors beyond the life of the process. */
  readonly cache?: VectorCache
  /** How long a search waits for the vector of its query before the next embedder answers; default 150. */
  readonly queryBudgetMs?: number
  /** Milliseconds from any fixed point; after a failure an embedder is left alone for a while. */
  readonly now?: () => number
}

/** How far an embedder is with the tools. */
export interface EmbedderProgress {
  readonly embedder: string
  /** Tools that have no vector yet. */
  readonly pending: number
  /** Why the embedder failed last, until it works again. */
  readonly failure?: string
}

/** The answer of an embedder, or the reasons why none could answer. */
interface MeaningAnswer {
  readonly hits: readonly SearchHit[]
  /** The embedder that answered; absent where none could. */
  readonly embedder?: string
  /** Why each embedder before that one could not answer. */
  readonly failures: readonly string[]
}

/** Search by meaning, with or without the words: what `embeddings` and `hybrid` have in common. */
export class MeaningSearch {
  readonly words: WordSearch
  readonly #reader: QueryReader | undefined
  readonly #sets: EmbedderSets
  readonly #queryBudgetMs: number
  readonly #scores = new MeaningScores()
  readonly #fused: FusedRanking

  /** @throws ToolSearchError INVALID_ARGUMENTS for an option that does not exist */
  constructor(embedders: readonly Embedder[], withWords: boolean, options: EmbeddingOptions) {
    refuseUnknown(options, ['queryReader', 'cache', 'queryBudgetMs', 'now'])
    const { cache, queryReader, now = () => performance.now() } = options
    this.words = new WordSearch(queryReader)
    this.#reader = queryReader
    this.#sets = new EmbedderSets(this.words, embedders, { cache, now })
    this.#queryBudgetMs = options.queryBudgetMs ?? QUERY_BUDGET_MS
    this.#fused = new FusedRanking(this.words.corpus, withWords)
  }

  /** Whether answers depend on tools and request alone, because no embedder has to be waited for. */
  get deterministic(): boolean {
    return this.#sets.sets.every(({ embedder }) => embedder.embedNow !== undefined)
  }

  apply(change: ToolChange): void {
    this.#sets.apply(change)
  }

  save(to: SavedWriter): void {
    this.words.save(to)
    this.#sets.save(to)
  }

  restore(from: SavedReader, tools: SavedTools): void {
    this.words.restore(from, tools)
    this.#sets.restore(from)
  }

  /** Other embedders from now on; see `EmbedderSets.replace`. */
  useEmbedders(embedders: readonly Embedder[]): void {
    this.#sets.replace(embedders)
  }

  /** How far each embedder is. */
  progress(): readonly EmbedderProgress[] {
    return this.#sets.sets.map(({ embedder, pendingCount, failure }) => ({
      embedder: embedder.id,
      pending: pendingCount,
      ...(failure !== undefined && { failure }),
    }))
  }

  /** Resolves when nothing is embedded in the background. */
  settled(): Promise<void> {
    return this.#sets.settled()
  }

  /** Stops what goes on in the background. */
  close(): void {
    this.#sets.close()
  }

  /**
   * Asks the embedders in order; the first that has all vectors answers alone, because vectors of two cannot be mixed.
   */
  async search(request: SearchRequest, observe?: Observe): Promise<MeaningAnswer> {
    request.signal?.throwIfAborted()
    this.#sets.wake()
    const view = this.words.viewOf(request.within)
    const queries = distinctQueries(request.queries).map((query) =>
      embeddableQuery(this.words.read(query, view), this.#reader),
    )
    const failures: string[] = []
    for (const set of this.#sets.sets) {
      try {
        const hits = await this.#searchWith(set, queries, request, observe)
        return { hits, embedder: set.embedder.id, failures }
      } catch (error) {
        request.signal?.throwIfAborted()
        failures.push(`${set.embedder.id}: ${failureReason(error)}`)
      }
    }
    return { hits: [], failures }
  }

  async #searchWith(
    set: EmbeddedTools,
    queries: readonly EmbeddableQuery[],
    request: SearchRequest,
    observe?: Observe,
  ): Promise<readonly SearchHit[]> {
    requireAllVectors(set, this.words.viewOf(request.within))
    const texts = queries.flatMap((query) => textsFor(set.embedder, query))
    const now = set.embedQueryNow(texts)
    if (now !== undefined) return this.#rank(set, queries, now, request, observe)
    const vectors = await set.embedQuery(texts, this.#queryBudgetMs, request.signal)
    return this.#rank(set, queries, vectors, request, observe)
  }

  /** Does not wait in the middle. The tools may have changed while a query was embedded, so the view is taken here. */
  #rank(
    set: EmbeddedTools,
    queries: readonly EmbeddableQuery[],
    vectors: readonly Int8Array[],
    request: SearchRequest,
    observe?: Observe,
  ): readonly SearchHit[] {
    const view = this.words.viewOf(request.within)
    const traits = { calibration: requireAllVectors(set, view), weight: weightOf(set.embedder) }
    const depth = rankingDepth(queries.length, request.maxResults)
    let at = 0
    const rankings = queries.map((query) => {
      const own = vectors.slice(at, at + query.texts.length)
      at += own.length
      const words = this.words.score(query, view)
      this.#scores.measure(own, set.rows, this.words.corpus, view)
      const documents = this.#fused.rank(words, this.#scores, traits, view, depth, observe)
      return { documents, concepts: words.concepts, ...query }
    })
    const hits = fuseRankings(
      rankings.map(({ documents }) => documents.map((found) => this.#hitOf(found))),
      request.maxResults,
    )
    return request.explain === true ? hits.map((hit) => this.#explain(hit, rankings)) : hits
  }

  #hitOf({ document, score, relevance, isExact }: FusedDocument): SearchHit {
    return { id: this.words.corpus.tool(document).id, score, relevance, ...(isExact && { isExact }) }
  }

  #explain(hit: SearchHit, rankings: readonly ExplainableRanking[]): SearchHit {
    const document = this.words.corpus.numberOf(hit.id)
    if (document === undefined) return hit
    const concepts = rankings.flatMap((ranking) => ranking.concepts)
    const meant = rankings.filter(({ documents }) => documents.some((one) => one.document === document && one.isMeant))
    const explanation = explainHit(document, concepts, this.words.corpus)
    return { ...hit, explanation: withMeaning(explanation, meant) }
  }
}

interface ExplainableRanking extends MeantQuery {
  readonly documents: readonly FusedDocument[]
  readonly concepts: readonly Concept[]
}

/** Embedders can be anyone's: what is no weight counts as none given. */
export function weightOf({ weight = 1 }: Embedder): number {
  return Number.isFinite(weight) && weight > 0 ? weight : 1
}

/**
 * The calibration of the set's cosines.
 * @throws ToolSearchError EMBEDDER_FAILED while a tool of the view has no vector: it could not be found, in silence.
 */
function requireAllVectors(set: EmbeddedTools, view: CorpusView): Calibration {
  const missing = set.missingAmong(view.visible)
  if (missing === 0) return set.calibration ?? NOTHING_MEASURED
  const failure = set.failure === undefined ? '' : ` (${set.failure})`
  const reason = `${missing} of ${view.count} tools have no vector yet${failure}`
  throw new ToolSearchError('EMBEDDER_FAILED', { embedder: set.embedder.id, reason })
}
