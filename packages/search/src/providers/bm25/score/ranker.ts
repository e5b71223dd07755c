import { compareIds } from '../../compare-ids.ts'
import type { QueryReader } from '../../../query/query-reader.ts'
import { clausesOf } from '../query/clauses.ts'
import { BonusScorer } from './bonus-scorer.ts'
import { type Concept, conceptsOf } from '../query/concepts.ts'
import type { Corpus } from '../index/corpus.ts'
import { exactMatches } from '../query/exact-names.ts'
import { rarity } from '../index/frequency.ts'
import { bitOf, fieldBitsIn } from '../index/posting.ts'
import { CANDIDATES, CLAUSE_WEIGHT, FIT_WEIGHT, JUDGED } from '../parameters.ts'
import { type QueryPair, queryWords } from '../query/query-terms.ts'
import type { ReadQuery } from '../query/read-query.ts'
import { readRequest } from '../query/request.ts'
import { calibrated, COMPARED_HITS, NO_MEANING, type Observe } from '../../calibrated.ts'
import { type WordEvidence, wordEvidence } from './evidence.ts'
import { coverageOf } from './query-coverage.ts'
import { RequestFit } from './request-fit.ts'
import { ScoreBoard } from './score-board.ts'
import { Scorer } from './scorer.ts'
import type { PrefixTerms, StructuredMatch } from '../query/structured-match.ts'
import { topDocuments } from './top-documents.ts'
import type { CorpusView } from '../index/corpus-view.ts'

/** A document with its place in a ranking. */
export interface RankedDocument {
  readonly document: number
  readonly score: number
  readonly relevance: number
  /** The query is its name. */
  readonly isExact?: true
}

/** A ranking, best first, with what was looked for. */
export interface Ranking {
  readonly documents: readonly RankedDocument[]
  readonly concepts: readonly Concept[]
}

/** The scores of all documents for the words of one query. Valid until the next query. */
export interface WordScores {
  /** The score of each document that has a word of the query, bonuses included. */
  readonly totals: ScoreBoard
  readonly concepts: readonly Concept[]
  /** The documents whose name the query is, with how exactly it is. */
  readonly exact: ReadonlyMap<number, number>
  /** 1 for a document that a structured query matches. */
  readonly matching?: Uint8Array
  /** Whether parts of a long query were scored as well. */
  readonly hasClauses: boolean
  /** Times a score it is the score's relevance. */
  readonly relevancePerScore: number
  /** Judges how a document fits what the query says beyond its words. */
  readonly fit: RequestFit
  /** What the words say for and against a document; absent where conditions decide, not words. */
  readonly evidence?: (document: number) => WordEvidence
}

/** In longer queries an unknown word is a name rather than a typo. */
const MOST_TERMS_WITH_TYPOS = 8

/** A tool belongs to the service that its server or its own name has. */
const SERVICE_BITS = bitOf('server') | bitOf('name')
/** Other names of a service have this share at least; synonyms have less. */
const WRITTEN_OUT = 0.9

/** An exact name beats every sum of words. */
const EXACT_SCORE = 10
/** Keeps what matches but has no word to rank by on the board, below everything else. */
const UNRANKED_SCORE = 1e-6

/** Ranks the documents of a view for one text. */
export class Ranker {
  readonly #corpus: Corpus
  readonly #reader: QueryReader | undefined
  readonly #scorer: Scorer
  readonly #bonuses: BonusScorer
  readonly #fit: RequestFit
  readonly #totals = new ScoreBoard()
  readonly #clauseBest = new ScoreBoard()
  readonly #services = new ScoreBoard()
  readonly #ofService = new ScoreBoard()

  constructor(corpus: Corpus, reader?: QueryReader) {
    this.#corpus = corpus
    this.#reader = reader
    this.#scorer = new Scorer(corpus)
    this.#bonuses = new BonusScorer(corpus)
    this.#fit = new RequestFit(corpus)
  }

  /**
   * Scores for a text without operators.
   * @param depth how far they will be ranked by the words alone; absent: the scores of all documents are wanted
   */
  score(query: ReadQuery, view: CorpusView, depth?: number): WordScores {
    const { asked, text, excluded } = query
    const { terms, pairs } = queryWords(text, this.#reader)
    const isShort = terms.length <= MOST_TERMS_WITH_TYPOS
    const concepts = conceptsOf(terms, this.#corpus, view, isShort)
    const parts = clausesOf(text, this.#reader).map((clause) => conceptsOf(clause.terms, this.#corpus, view, isShort))
    this.#fit.begin(isShort && parts.length === 0 ? readRequest(text, excluded, this.#reader) : undefined, concepts)
    const exact = exactMatches(asked, this.#corpus, view)
    this.#begin()
    this.#findServices(concepts, view)
    if (depth !== undefined && parts.length === 0) {
      const wanted = JUDGED + rankedDepth(depth) + exact.size
      this.#scorer.bestInto(this.#totals, concepts, view, this.#services, wanted)
    } else {
      this.#scorer.scoreInto(this.#totals, concepts, view)
      for (const part of parts) this.#scorer.scoreInto(this.#clauseBest, part, view)
      this.#addClauses()
    }
    this.#addServices()
    return this.#finish({ concepts, exact, hasClauses: parts.length > 0 }, [concepts, ...parts], pairs, view)
  }

  /** Scores what a structured query lets through; the statistics stay those of the view. */
  scoreMatching(text: string, match: StructuredMatch, view: CorpusView): WordScores {
    const { terms, pairs } = queryWords(match.text, this.#reader)
    const concepts = [
      ...conceptsOf(terms, this.#corpus, view, false),
      ...match.prefixes.map((prefix) => prefixConcept(prefix, view)),
    ]
    this.#fit.begin(undefined, [])
    this.#begin()
    this.#scorer.scoreInto(this.#totals, concepts, view)
    this.#keepOnly(match.matching)
    const exact = exactMatches(text, this.#corpus, view, match.matching)
    const { matching } = match
    return this.#finish({ concepts, exact, matching, hasClauses: false }, [concepts], pairs, view)
  }

  /** The best documents by the words alone. */
  ranking(scores: WordScores, depth: number, observe?: Observe): Ranking {
    const { totals, exact, concepts, relevancePerScore, fit } = scores
    for (const document of topDocuments(totals, JUDGED, this.#corpus)) {
      const score = totals.values[document] as number
      totals.values[document] = Math.max(UNRANKED_SCORE, score + fit.bonus(document))
    }
    const others = topDocuments(totals, rankedDepth(depth) + exact.size, this.#corpus)
      .filter((document) => !exact.has(document))
      .map((document) => {
        const score = totals.values[document] as number
        return { document, score, relevance: Math.min(1, relevancePerScore * score) }
      })
    const named = Array.from(exact, ([document, exactness]) => ({
      document,
      score: EXACT_SCORE + exactness,
      relevance: 1,
      isExact: true as const,
    }))
    others.sort(this.#best)
    const relevances = calibrated(others, scores, NO_MEANING, 'words', observe)
    const documents = [...named.sort(this.#best), ...relevances]
    return { documents: documents.slice(0, depth), concepts }
  }

  #begin(): void {
    this.#totals.reset(this.#corpus.size)
    this.#clauseBest.reset(this.#corpus.size)
    this.#services.reset(this.#corpus.size)
  }

  #addClauses(): void {
    const { touched, values, count } = this.#clauseBest
    for (let i = 0; i < count; i++) {
      const document = touched[i] as number
      this.#totals.add(document, CLAUSE_WEIGHT * (values[document] as number))
    }
  }

  /** Tools of a service that the query names come before those that only mention it. */
  #findServices(concepts: readonly Concept[], { visible }: CorpusView): void {
    const { postings } = this.#corpus
    for (const { service, members } of concepts) {
      if (service === 0) continue
      // A service may have several names, and a tool several of those.
      this.#ofService.reset(this.#corpus.size)
      for (const { term, share } of members) {
        if (share < WRITTEN_OUT) continue
        const end = postings.start(term) + postings.length(term)
        for (let at = postings.start(term); at < end; at++) {
          const document = postings.documents[at] as number
          if (visible !== undefined && visible[document] === 0) continue
          if ((fieldBitsIn(postings.values[at] as number) & SERVICE_BITS) === 0) continue
          this.#ofService.raise(document, FIT_WEIGHT.service * service)
        }
      }
      this.#services.addAll(this.#ofService)
    }
  }

  #addServices(): void {
    const { touched, values, count } = this.#services
    for (let i = 0; i < count; i++) {
      const document = touched[i] as number
      if (this.#totals.values[document] !== 0) this.#totals.add(document, values[document] as number)
    }
  }

  /** Matches without a word to rank by come last. */
  #keepOnly(matching: Uint8Array): void {
    for (let i = 0; i < this.#totals.count; i++) {
      const document = this.#totals.touched[i] as number
      if (matching[document] === 0) this.#totals.values[document] = 0
    }
    this.#totals.dropEmpty()
    for (let document = 0; document < matching.length; document++) {
      if (matching[document] === 1) this.#totals.add(document, UNRANKED_SCORE)
    }
  }

  #finish(
    read: Omit<WordScores, 'totals' | 'relevancePerScore' | 'fit' | 'evidence'>,
    parts: readonly (readonly Concept[])[],
    pairs: readonly QueryPair[],
    view: CorpusView,
  ): WordScores {
    const totals = this.#totals
    // As many for every request, so that the order does not depend on `maxResults`, and one without the name among them.
    const candidates = topDocuments(totals, Math.max(CANDIDATES, 1 + read.exact.size), this.#corpus)
    this.#bonuses.begin(read.concepts, pairs)
    for (const document of candidates) totals.add(document, this.#bonuses.bonus(document))
    const first = this.#scored(candidates).find(({ document }) => !read.exact.has(document))
    const relevancePerScore = first === undefined ? 0 : this.#coverage(first.document, parts, view) / first.score
    if (read.matching !== undefined) return { ...read, totals, relevancePerScore, fit: this.#fit }
    const evidence = (document: number): WordEvidence => {
      const { verb, asksService } = this.#fit
      const fit = { ...this.#fit.of(document), verb, asksService }
      return wordEvidence(document, parts, fit, this.#corpus, view)
    }
    return { ...read, totals, relevancePerScore, fit: this.#fit, evidence }
  }

  #scored(documents: readonly number[]): Scored[] {
    return documents.map((document) => ({ document, score: this.#totals.values[document] as number })).sort(this.#best)
  }

  readonly #best = (a: Scored, b: Scored): number =>
    b.score - a.score || compareIds(this.#corpus.tool(a.document).id, this.#corpus.tool(b.document).id)

  /** A long query is covered as far as its best clause. */
  #coverage(document: number, parts: readonly (readonly Concept[])[], view: CorpusView): number {
    return Math.max(...parts.map((concepts) => coverageOf(document, concepts, this.#corpus, view)))
  }
}

/** The relevance of the first hit depends on how far it is ahead of others, even where one is wanted. */
function rankedDepth(depth: number): number {
  return Math.max(depth, COMPARED_HITS)
}

interface Scored {
  readonly document: number
  readonly score: number
}

/** A prefix asks for one thing, in whichever word that begins so. */
function prefixConcept({ prefix, terms, count }: PrefixTerms, view: CorpusView): Concept {
  const weight = rarity(count, view.count)
  const members = terms.map((term) => ({ term, weight, share: 1 }))
  return { word: `${prefix}*`, ownStem: '', stem: '', members, rarity: weight, weight, service: 0 }
}
