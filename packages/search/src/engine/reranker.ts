import type { QueryReader } from '../query/query-reader.ts'
import { Corpus } from '../providers/bm25/index/corpus.ts'
import type { CorpusView } from '../providers/bm25/index/corpus-view.ts'
import { unpackDocument } from '../providers/bm25/index/packed-document.ts'
import { Vocabulary } from '../providers/bm25/index/vocabulary.ts'
import { explainHit } from '../providers/bm25/score/explain-hit.ts'
import type { RankedDocument } from '../providers/bm25/score/ranker.ts'
import type { ReadQuery } from '../providers/bm25/query/read-query.ts'
import { WordSearch } from '../providers/bm25/word-search.ts'
import type { MeantQuery } from '../providers/meaning/explain-meaning.ts'
import { type EmbedderTraits, type FusedDocument, FusedRanking } from '../providers/meaning/fused-ranking.ts'
import { MeaningScores } from '../providers/meaning/meaning-scores.ts'
import type { Explanation, SearchHit } from '../providers/search-provider.ts'
import { VectorRows } from '../vectors/vector-rows.ts'
import type { Candidates } from './catalog-engine.ts'
import { catalogNearness } from './meaning-statistics.ts'
import { catalogWordSpread } from './word-spread.ts'

/** The vocabulary is let go at this size: a few hundred searches fill it, and every search makes room for all of it. */
const MOST_WORDS = 20_000

/** What is compared by meaning. */
export interface RankedMeaning extends EmbedderTraits {
  readonly query: MeantQuery
  /** The query as a whole, then its clauses. */
  readonly vectors: readonly Int8Array[]
}

/** A ranked candidate. */
export interface RankedCandidate {
  readonly hit: SearchHit
  /** Whether it means what was asked rather than only has the words. */
  readonly isMeant: boolean
  /** Which words of the query it has, where that was asked for. */
  readonly words?: Explanation
}

/**
 * Ranks candidates as the index does that holds the whole catalog, by the statistics that came along with them. Where
 * the candidates are all tools that the caller may see, they are ranked by their own statistics, to the last digit as
 * an index of just these tools ranks them.
 */
export class Reranker {
  readonly #reader: QueryReader | undefined
  readonly #scores = new MeaningScores()
  #vocabulary = new Vocabulary()
  #rows: VectorRows | undefined

  constructor(reader?: QueryReader) {
    this.#reader = reader
  }

  /** Takes candidates over, to read a query by them and rank them. Valid until the next ones. */
  take(candidates: Candidates): CandidateSet {
    if (this.#vocabulary.surfaceCount > MOST_WORDS) this.#vocabulary = new Vocabulary()
    const { tools, statistics, complete } = candidates
    const corpus = new Corpus(this.#vocabulary)
    corpus.putRead(
      tools.map((tool) => {
        const read = unpackDocument(tool.terms)
        const { id, server } = tool
        return [{ id, name: read.name, ...(server !== '' && { namespace: server }) }, read]
      }),
    )
    const { words, meaning } = statistics
    if (complete)
      return new CandidateSet(new WordSearch(this.#reader, corpus), candidates, undefined, this.#scores, this)
    // What the query asks for is known to the catalog, though no candidate may have it.
    for (const [stem, { tools: having, servers }] of words.stems)
      if (having + servers > 0) corpus.vocabulary.internStem(stem)
    return new CandidateSet(new WordSearch(this.#reader, corpus, words), candidates, meaning, this.#scores, this)
  }

  /** The vectors of candidates, by document. */
  rowsOf({ tools }: Candidates, corpus: Corpus, dimensions: number): VectorRows {
    const rows = this.#rows?.dimensions === dimensions ? this.#rows : new VectorRows(dimensions)
    this.#rows = rows
    for (const { id, vector } of tools) {
      const document = corpus.numberOf(id) ?? 0
      if (vector?.length === dimensions) rows.set(document, vector)
      else rows.delete(document)
    }
    return rows
  }
}

/** Candidates that are ready to be ranked. */
export class CandidateSet {
  readonly #words: WordSearch
  readonly #candidates: Candidates
  readonly #meaning: Candidates['statistics']['meaning']
  readonly #scores: MeaningScores
  readonly #owner: Reranker
  readonly #view: CorpusView

  constructor(
    words: WordSearch,
    candidates: Candidates,
    meaning: Candidates['statistics']['meaning'],
    scores: MeaningScores,
    owner: Reranker,
  ) {
    this.#words = words
    this.#candidates = candidates
    this.#meaning = meaning
    this.#scores = scores
    this.#owner = owner
    this.#view = words.viewOf(undefined)
  }

  /** Reads a query; the candidates decide which words are misspelt. */
  read(query: string): ReadQuery {
    return this.#words.read(query, this.#view)
  }

  /** The best candidates by words, and by meaning where there is one. */
  rank(
    query: ReadQuery,
    meaning: RankedMeaning | undefined,
    depth: number,
    explain: boolean,
  ): readonly RankedCandidate[] {
    const { corpus } = this.#words
    const words = this.#words.score(query, this.#view, meaning === undefined ? depth : undefined)
    const documents: readonly (RankedDocument & Partial<FusedDocument>)[] =
      meaning === undefined ? this.#words.ranking(words, depth) : this.#fused(words, meaning, depth)
    return documents.map(({ document, score, relevance, isExact, isMeant = false }) => ({
      hit: { id: corpus.tool(document).id, score, relevance, ...(isExact && { isExact }) },
      isMeant,
      ...(explain && { words: explainHit(document, words.concepts, corpus) }),
    }))
  }

  #fused(words: ReturnType<WordSearch['score']>, meaning: RankedMeaning, depth: number) {
    const { corpus } = this.#words
    const rows = this.#owner.rowsOf(this.#candidates, corpus, meaning.vectors[0]?.length ?? 0)
    const nearness = this.#meaning === undefined ? undefined : catalogNearness(this.#meaning)
    this.#scores.measure(meaning.vectors, rows, corpus, this.#view, nearness)
    return new FusedRanking(corpus, true, catalogWordSpread).rank(words, this.#scores, meaning, this.#view, depth)
  }
}
