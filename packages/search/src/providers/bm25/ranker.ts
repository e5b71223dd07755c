import { compareIds } from '../../compare-ids.ts'
import { clausesOf } from './clauses.ts'
import { CloseLook } from './close-look.ts'
import { type Concept, conceptsOf } from './concepts.ts'
import type { Corpus } from './corpus.ts'
import { exactMatches } from './exact-names.ts'
import { B, CANDIDATES, CLAUSE_WEIGHT, FIELD_WEIGHT, K1, LEAD_BONUS, ONE, SERVER_WEIGHT } from './parameters.ts'
import { queryWords } from './query-terms.ts'
import { ScoreBoard } from './score-board.ts'
import { Scorer } from './scorer.ts'
import { topDocuments } from './top-documents.ts'
import type { View } from './view.ts'

/** A document with its place in a ranking. */
export interface RankedDocument {
  readonly document: number
  readonly score: number
  readonly relevance: number
}

/** A ranking, best first, with what was looked for. */
export interface Ranking {
  readonly documents: readonly RankedDocument[]
  readonly concepts: readonly Concept[]
}

/** An exact name beats whatever the words add up to. */
const EXACT_SCORE = 10

/** How well a tool of average length that has a word once in its name and once in its first sentence fits that word. */
const GOOD_FREQUENCY = FIELD_WEIGHT.name + FIELD_WEIGHT.description + LEAD_BONUS
const GOOD_FIT = GOOD_FREQUENCY / (GOOD_FREQUENCY + K1 * ONE * (1 - B + B))

/** Ranks the documents of a view for one text. */
export class Ranker {
  readonly #corpus: Corpus
  readonly #scorer: Scorer
  readonly #totals = new ScoreBoard()
  readonly #clauseBest = new ScoreBoard()
  /** How much of what the query could reach a document reaches, by the whole query or its best clause. */
  readonly #reached = new ScoreBoard()

  constructor(corpus: Corpus) {
    this.#corpus = corpus
    this.#scorer = new Scorer(corpus)
  }

  /**
   * @param matching where given, only these documents can be ranked, while statistics stay those of the view.
   */
  rank(text: string, view: View, limit: number, matching?: Uint8Array): Ranking {
    const { terms, pairs } = queryWords(text)
    const concepts = conceptsOf(terms, this.#corpus, view)
    for (const board of [this.#totals, this.#clauseBest, this.#reached]) board.reset(this.#corpus.size)
    this.#scoreInto(this.#totals, concepts, view)
    for (const clause of clausesOf(text)) {
      this.#scoreInto(this.#clauseBest, conceptsOf(clause, this.#corpus, view), view)
    }
    this.#addClauses()
    if (matching !== undefined) this.#keepOnly(matching)
    const candidates = topDocuments(this.#totals, Math.max(CANDIDATES, limit), this.#corpus)
    const look = new CloseLook(concepts, pairs, this.#corpus)
    const scored = candidates.map((document) => ({
      document,
      score: (this.#totals.values[document] as number) + look.bonus(document),
    }))
    return { documents: this.#finish(scored, exactMatches(text, this.#corpus, view), limit), concepts }
  }

  /**
   * Scores of tools and of servers are brought to the best of each before they are added: what matters is who is ahead,
   * and sums of many words would drown the bonuses in long queries.
   */
  #scoreInto(board: ScoreBoard, concepts: readonly Concept[], view: View): void {
    const { tools, servers } = this.#scorer.score(concepts, view)
    const best = tools.best()
    if (best === 0) return
    const bestServer = view.serverCount > 1 ? servers.best() : 0
    const serverShare = bestServer === 0 ? 0 : SERVER_WEIGHT / bestServer
    const reachable = GOOD_FIT * concepts.reduce((sum, concept) => sum + concept.weight, 0)
    const serverOf = this.#corpus.serverOf.items
    for (let i = 0; i < tools.count; i++) {
      const document = tools.touched[i] as number
      const score = tools.values[document] as number
      const server = serverOf[document] as number
      const serverScore = server < 0 ? 0 : (servers.values[server] as number)
      board.raise(document, score / best + serverShare * serverScore)
      this.#reached.raise(document, Math.min(1, score / reachable))
    }
  }

  #addClauses(): void {
    const { touched, values, count } = this.#clauseBest
    for (let i = 0; i < count; i++) {
      const document = touched[i] as number
      this.#totals.add(document, CLAUSE_WEIGHT * (values[document] as number))
    }
  }

  #keepOnly(matching: Uint8Array): void {
    const { touched, values, count } = this.#totals
    let kept = 0
    for (let i = 0; i < count; i++) {
      const document = touched[i] as number
      if (matching[document] === 1) touched[kept++] = document
      else values[document] = 0
    }
    this.#totals.count = kept
  }

  #finish(scored: { document: number; score: number }[], exact: readonly number[], limit: number): RankedDocument[] {
    const idOf = (document: number): string => this.#corpus.document(document).tool.id
    scored.sort((a, b) => b.score - a.score || compareIds(idOf(a.document), idOf(b.document)))
    const isExact = new Set(exact)
    const others = scored.filter(({ document }) => !isExact.has(document))
    const [first] = others
    const scale = first === undefined ? 0 : (this.#reached.values[first.document] as number) / first.score
    return [
      ...[...exact]
        .sort((a, b) => compareIds(idOf(a), idOf(b)))
        .map((document) => ({ document, score: EXACT_SCORE, relevance: 1 })),
      ...others.map(({ document, score }) => ({ document, score, relevance: Math.min(1, scale * score) })),
    ].slice(0, limit)
  }
}
