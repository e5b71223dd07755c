import type { Concept, Member } from '../query/concepts.ts'
import type { Corpus } from '../index/corpus.ts'
import { rarity } from '../index/frequency.ts'
import { B, K1, ONE, SERVER_B, SERVER_K1 } from '../parameters.ts'
import { MOST_FREQUENCY, NAME_SHIFT } from '../index/posting.ts'
import { ScoreBoard } from './score-board.ts'
import type { CorpusView } from '../index/corpus-view.ts'

/** The scores for one list of concepts, by document and by server. Valid until the next scoring. */
export interface Scores {
  readonly tools: ScoreBoard
  readonly servers: ScoreBoard
}

/**
 * BM25F, one term after another, over the visible documents. It owns the boards that it fills: a search never waits in
 * the middle, so one scorer serves all searches of an index.
 */
export class Scorer {
  readonly #corpus: Corpus
  readonly #tools = new ScoreBoard()
  readonly #best = new ScoreBoard()
  readonly #servers: ServerScorer

  constructor(corpus: Corpus) {
    this.#corpus = corpus
    this.#servers = new ServerScorer(corpus)
  }

  score(concepts: readonly Concept[], view: CorpusView): Scores {
    this.#tools.reset(this.#corpus.size)
    this.#best.reset(this.#corpus.size)
    this.#servers.begin(view)
    for (const { members } of concepts) {
      const hasRivals = members.length > 1
      for (const member of members) this.#walk(member, view, hasRivals)
      if (hasRivals) {
        // Of several words for one thing a tool is paid for the best, not for all.
        this.#tools.addAll(this.#best)
        this.#best.reset(this.#corpus.size)
      }
      this.#servers.endConcept()
    }
    return { tools: this.#tools, servers: this.#servers.board }
  }

  #walk({ term, weight, share }: Member, view: CorpusView, hasRivals: boolean): void {
    const { postings } = this.#corpus
    const { documents, values } = postings
    const lengths = this.#corpus.lengths.items
    const serverOf = this.#corpus.serverOf.items
    const { visible } = view
    const whole = K1 * ONE * (1 - B)
    const perLength = (K1 * ONE * B) / view.averageLength
    const start = postings.start(term)
    const end = start + postings.length(term)
    for (let at = start; at < end; at++) {
      const document = documents[at] as number
      if (visible !== undefined && visible[document] === 0) continue
      const posting = values[at] as number
      const frequency = posting & MOST_FREQUENCY
      const score = (weight * frequency) / (frequency + whole + perLength * (lengths[document] as number))
      if (hasRivals) this.#best.raise(document, score)
      else this.#tools.add(document, score)
      const nameCount = posting >>> NAME_SHIFT
      if (nameCount !== 0) this.#servers.count(serverOf[document] as number, nameCount)
    }
    this.#servers.endTerm(term, share)
  }
}

/**
 * BM25 over servers, fed by the scorer of the tools while it walks the postings: a server's document is its own text
 * and the names of its visible tools, so no second index and no second walk are needed.
 */
class ServerScorer {
  readonly board = new ScoreBoard()
  readonly #corpus: Corpus
  readonly #best = new ScoreBoard()
  readonly #counts = new ScoreBoard()
  #view: CorpusView | undefined

  constructor(corpus: Corpus) {
    this.#corpus = corpus
  }

  begin(view: CorpusView): void {
    this.#view = view
    const size = this.#corpus.servers.size
    this.board.reset(size)
    this.#best.reset(size)
    this.#counts.reset(size)
  }

  /** Notes that a visible tool of the server has the current term in its name. */
  count(server: number, times: number): void {
    if (server >= 0) this.#counts.add(server, times)
  }

  /** Scores the counted term; `share` is its worth before rarity among servers. */
  endTerm(term: number, share: number): void {
    const view = this.#view
    if (view === undefined) return
    const frequency = this.#countAll(term, view)
    const counts = this.#counts
    const { ownLengths } = this.#corpus.servers
    const weight = share * rarity(frequency, view.serverCount)
    const whole = SERVER_K1 * (1 - SERVER_B)
    const perLength = (SERVER_K1 * SERVER_B) / view.averageServerLength
    for (let i = 0; i < counts.count; i++) {
      const server = counts.touched[i] as number
      const count = counts.values[server] as number
      const length = ownLengths.get(server) + (view.nameLengths[server] as number)
      this.#best.raise(server, (weight * count) / (count + whole + perLength * length))
    }
    counts.reset(this.#corpus.servers.size)
  }

  /** Of several words for one thing a server, too, is paid for the best. */
  endConcept(): void {
    this.board.addAll(this.#best)
    this.#best.reset(this.#corpus.servers.size)
  }

  /** Completes the counts of a term and answers how many servers have it. */
  #countAll(term: number, view: CorpusView): number {
    const { catalog } = view
    if (catalog === undefined) {
      this.#countOwnText(term, view)
      return this.#counts.count
    }
    const { servers, vocabulary } = this.#corpus
    const stem = vocabulary.termText(term)
    this.#counts.reset(servers.size)
    for (let server = 0; server < servers.size; server++) {
      const count = catalog.servers.get(servers.keyOf(server))?.counts.get(stem) ?? 0
      if (count > 0) this.#counts.add(server, count)
    }
    return catalog.serverFrequencies.get(stem) ?? this.#counts.count
  }

  #countOwnText(term: number, view: CorpusView): void {
    const { ownPostings } = this.#corpus.servers
    const start = ownPostings.start(term)
    const end = start + ownPostings.length(term)
    for (let at = start; at < end; at++) {
      const server = ownPostings.documents[at] as number
      if (view.visibleServers !== undefined && view.visibleServers[server] === 0) continue
      this.#counts.add(server, ownPostings.values[at] as number)
    }
  }
}
