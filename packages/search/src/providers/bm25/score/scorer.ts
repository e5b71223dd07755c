import type { Concept, Member } from '../query/concepts.ts'
import type { Corpus } from '../index/corpus.ts'
import type { CorpusView } from '../index/corpus-view.ts'
import { rarity, saturations } from '../index/frequency.ts'
import { frequencyIn, MOST_FREQUENCY } from '../index/posting.ts'
import type { TermFacts } from '../index/term-facts.ts'
import { FIT_WEIGHT, SERVER_WEIGHT } from '../parameters.ts'
import { ScoreBoard } from './score-board.ts'
import { HighestValues } from './top-documents.ts'

/** The scores for one list of concepts, by document and by server. Valid until the next scoring. */
export interface Scores {
  readonly tools: ScoreBoard
  readonly servers: ScoreBoard
}

/** A concept to walk, with what is known before its postings are read. */
interface Part {
  readonly members: readonly Member[]
  readonly facts: readonly TermFacts[]
  /** No document is paid more for it. */
  readonly bound: number
  readonly postings: number
  readonly service: number
}

/** Bounds are sums in another order than scores: they may be off by a few of the last bits, and are widened by more. */
const SLACK = 1e-9
/** Looking up a document in a list costs about as much as walking so many postings. */
const LOOK_UP_COST = 8

/**
 * BM25F, one concept after another, over the visible documents. It owns the boards that it fills: a search never waits
 * in the middle, so one scorer serves all searches of an index.
 */
export class Scorer {
  readonly #corpus: Corpus
  readonly #tools = new ScoreBoard()
  readonly #rivals = new ScoreBoard()
  readonly #servers: ServerScorer

  constructor(corpus: Corpus) {
    this.#corpus = corpus
    this.#servers = new ServerScorer(corpus)
  }

  /** The scores of all documents. */
  score(concepts: readonly Concept[], view: CorpusView): Scores {
    for (const part of this.#begin(concepts, view)) this.#walk(part, view)
    return { tools: this.#tools, servers: this.#servers.board }
  }

  /**
   * Raises a board to the scores of all documents, those of tools and of servers each brought to the best before they
   * are added: what matters is who is ahead, and sums of many words would drown the bonuses in long queries.
   */
  scoreInto(board: ScoreBoard, concepts: readonly Concept[], view: CorpusView): void {
    const { tools } = this.score(concepts, view)
    const best = tools.best()
    if (best === 0) return
    const servers = this.#servers.shares(view)
    for (let i = 0; i < tools.count; i++) {
      const document = tools.touched[i] as number
      board.raise(document, (tools.values[document] as number) / best + servers.of(document))
    }
  }

  /**
   * The same for documents that can be among the `wanted` best once `extra` is added, and for few others. Postings of
   * common words are not walked as soon as no document that has only those can be among them; the documents that can
   * are looked up there.
   */
  bestInto(board: ScoreBoard, concepts: readonly Concept[], view: CorpusView, extra: ScoreBoard, wanted: number): void {
    const parts = this.#begin(concepts, view)
    const servers = this.#servers.shares(view)
    const tools = this.#tools
    let found: Candidates | undefined
    for (let walked = 1; walked <= parts.length && found === undefined; walked++) {
      this.#walk(parts[walked - 1] as Part, view)
      const rest = parts.slice(walked)
      const postings = rest.reduce((sum, part) => sum + part.postings, 0)
      // Going through all that was seen would cost more than walking the rest.
      if (walked < parts.length && postings <= tools.count) continue
      found = this.#candidates(rest, servers, extra, wanted)
      const lookUps = rest.reduce((sum, part) => sum + part.members.length, 0) * (found?.documents.length ?? 0)
      if (walked < parts.length && LOOK_UP_COST * lookUps > postings) found = undefined
    }
    if (found === undefined || found.documents.length === 0) return
    const { documents, rest } = found
    const scores = documents.map((document) => this.#completed(document, rest, view))
    const best = scores.reduce((most, score) => Math.max(most, score), 0)
    for (const [nth, document] of documents.entries()) {
      board.raise(document, (scores[nth] as number) / best + servers.of(document))
    }
  }

  /** Clears the boards, scores the servers, and orders the concepts so that the most telling comes first. */
  #begin(concepts: readonly Concept[], view: CorpusView): readonly Part[] {
    this.#tools.reset(this.#corpus.size)
    const parts = concepts.map(({ members, service }) => {
      const facts = members.map(({ term }) => view.terms.of(term))
      return {
        members,
        facts,
        bound: members.reduce((most, { weight }, nth) => Math.max(most, weight * (facts[nth] as TermFacts).bestFit), 0),
        postings: members.reduce((sum, { term }) => sum + this.#corpus.postings.length(term), 0),
        service,
      }
    })
    parts.sort((a, b) => b.bound - a.bound)
    this.#servers.score(parts, view)
    return parts
  }

  #walk({ members }: Part, view: CorpusView): void {
    const [only, ...others] = members
    if (only === undefined) return
    if (others.length === 0) return this.#add(only, view)
    // Of several words for one thing a tool is paid for the best, not for all.
    const isFirst = this.#tools.count === 0
    const board = isFirst ? this.#tools : this.#rivals
    if (!isFirst) board.reset(this.#corpus.size)
    for (const member of members) this.#raise(board, member, view)
    if (!isFirst) this.#tools.addAll(board)
  }

  // The two loops run for every posting of a search, so they work on what they need alone, without calls.

  #add({ term, weight }: Member, view: CorpusView): void {
    const { postings, lengths } = this.#corpus
    const [documents, packed, allLengths] = [postings.documents, postings.values, lengths.items]
    const { values, touched } = this.#tools
    const { visible } = view
    const { whole, perLength } = saturations(view).tools
    let { count } = this.#tools
    const end = postings.start(term) + postings.length(term)
    for (let at = postings.start(term); at < end; at++) {
      const document = documents[at] as number
      if (visible !== undefined && visible[document] === 0) continue
      const frequency = (packed[at] as number) & MOST_FREQUENCY
      const before = values[document] as number
      if (before === 0) touched[count++] = document
      const fit = frequency / (frequency + whole + perLength * (allLengths[document] as number))
      values[document] = before + weight * fit
    }
    this.#tools.count = count
  }

  #raise(board: ScoreBoard, { term, weight }: Member, view: CorpusView): void {
    const { postings, lengths } = this.#corpus
    const [documents, packed, allLengths] = [postings.documents, postings.values, lengths.items]
    const { values, touched } = board
    const { visible } = view
    const { whole, perLength } = saturations(view).tools
    let { count } = board
    const end = postings.start(term) + postings.length(term)
    for (let at = postings.start(term); at < end; at++) {
      const document = documents[at] as number
      if (visible !== undefined && visible[document] === 0) continue
      const frequency = (packed[at] as number) & MOST_FREQUENCY
      const before = values[document] as number
      if (before === 0) touched[count++] = document
      const score = weight * (frequency / (frequency + whole + perLength * (allLengths[document] as number)))
      if (score > before) values[document] = score
    }
    board.count = count
  }

  /**
   * Of the documents seen so far those that can be among the best; absent where one that was not seen can be, too. The
   * highest score, by which all are divided, lies between the highest so far and that with the rest on top.
   */
  #candidates(rest: readonly Part[], servers: ServerShares, extra: ScoreBoard, wanted: number): Candidates | undefined {
    const { values, touched, count } = this.#tools
    const most = rest.reduce((sum, { bound }) => sum + bound, 0) * (1 + SLACK)
    const low = this.#tools.best()
    const high = low + most
    const mostExtra = extra.best()
    const services = rest.reduce((sum, { service }) => sum + FIT_WEIGHT.service * service, 0)
    // Where one that was not seen could come up to the best of all, the others need not be gone through.
    if (rest.length > 0 && (most >= low || most / low + services >= low / high + mostExtra)) return undefined
    // Most documents are out of the question by their own score, whatever is added.
    const mostOthers = servers.most + mostExtra
    const highest = new HighestValues(wanted)
    let least = -1
    for (let i = 0; i < count; i++) {
      const document = touched[i] as number
      const score = values[document] as number
      if (score < least) continue
      highest.offer(score / high + servers.of(document) + (extra.values[document] as number))
      least = (highest.lowest - mostOthers) * high * (1 - SLACK)
    }
    const enough = highest.lowest * (1 - SLACK)
    if (rest.length > 0 && most / low + servers.most + services >= enough) return undefined
    const documents: number[] = []
    const leastOfAny = Math.min(1, enough - mostOthers) * low * (1 - SLACK) - most
    for (let i = 0; i < count; i++) {
      const document = touched[i] as number
      if ((values[document] as number) < leastOfAny) continue
      const score = (((values[document] as number) + most) * (1 + SLACK)) / low
      const others = servers.of(document) + (extra.values[document] as number)
      if (score >= 1 || score + others >= enough) documents.push(document)
    }
    return { documents, rest }
  }

  /** The score of a document for the concepts walked and those that are left. */
  #completed(document: number, rest: readonly Part[], view: CorpusView): number {
    const { postings, lengths } = this.#corpus
    const { whole, perLength } = saturations(view).tools
    const length = lengths.get(document)
    let score = this.#tools.values[document] as number
    for (const { members } of rest) {
      let best = 0
      for (const { term, weight } of members) {
        const frequency = frequencyIn(postings.valueOf(term, document))
        const fit = frequency / (frequency + whole + perLength * length)
        if (weight * fit > best) best = weight * fit
      }
      score += best
    }
    return score
  }
}

interface Candidates {
  readonly documents: readonly number[]
  /** The concepts whose postings were not walked. */
  readonly rest: readonly Part[]
}

/**
 * BM25 over servers: a server's document is its own text and the names of its visible tools. Which servers have a term
 * is among its facts.
 */
class ServerScorer {
  readonly board = new ScoreBoard()
  readonly #corpus: Corpus
  readonly #rivals = new ScoreBoard()

  constructor(corpus: Corpus) {
    this.#corpus = corpus
  }

  score(parts: readonly Part[], { serverCount }: CorpusView): void {
    const { size } = this.#corpus.servers
    this.board.reset(size)
    for (const { members, facts } of parts) {
      // Of several words for one thing a server, too, is paid for the best.
      this.#rivals.reset(size)
      for (const [nth, { share }] of members.entries()) {
        const { servers, serverFits, serverCount: having } = facts[nth] as TermFacts
        const weight = share * rarity(having, serverCount)
        for (let i = 0; i < servers.length; i++) {
          this.#rivals.raise(servers[i] as number, weight * (serverFits[i] as number))
        }
      }
      this.board.addAll(this.#rivals)
    }
  }

  /** What servers add to the scores of their documents. Valid until the next scoring. */
  shares({ serverCount }: CorpusView): ServerShares {
    const best = serverCount > 1 ? this.board.best() : 0
    return new ServerShares(this.#corpus.serverOf.items, this.board.values, best === 0 ? 0 : SERVER_WEIGHT / best, best)
  }
}

class ServerShares {
  /** No document gets more. */
  readonly most: number
  readonly #serverOf: Int32Array
  readonly #scores: Float64Array
  readonly #share: number

  constructor(serverOf: Int32Array, scores: Float64Array, share: number, best: number) {
    this.#serverOf = serverOf
    this.#scores = scores
    this.#share = share
    this.most = share * best
  }

  of(document: number): number {
    const server = this.#serverOf[document] as number
    return server < 0 ? 0 : this.#share * (this.#scores[server] as number)
  }
}
