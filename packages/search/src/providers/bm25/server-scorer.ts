import type { Corpus } from './corpus.ts'
import { rarity } from './frequency.ts'
import { SERVER_B, SERVER_K1 } from './parameters.ts'
import { ScoreBoard } from './score-board.ts'
import type { View } from './view.ts'

/**
 * BM25 over servers, fed by the scorer of the tools while it walks the postings: a server's document is its own text and
 * the names of its visible tools, so no second index and no second walk are needed.
 */
export class ServerScorer {
  readonly board = new ScoreBoard()
  readonly #corpus: Corpus
  readonly #best = new ScoreBoard()
  readonly #counts = new ScoreBoard()
  #view: View | undefined

  constructor(corpus: Corpus) {
    this.#corpus = corpus
  }

  begin(view: View): void {
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
  #countAll(term: number, view: View): number {
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

  #countOwnText(term: number, view: View): void {
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
