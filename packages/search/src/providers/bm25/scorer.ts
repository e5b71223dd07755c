import type { Concept, Member } from './concepts.ts'
import type { Corpus } from './corpus.ts'
import { MOST_FREQUENCY, NAME_SHIFT } from './posting.ts'
import { B, K1, ONE } from './parameters.ts'
import { ScoreBoard } from './score-board.ts'
import { ServerScorer } from './server-scorer.ts'
import type { View } from './view.ts'

/** What one list of concepts scored, by document and by server. Valid until the next scoring. */
export interface Scores {
  readonly tools: ScoreBoard
  readonly servers: ScoreBoard
}

/**
 * BM25F, one term after another, over the visible documents. It owns the boards that it fills: a search never waits in the
 * middle, so one scorer serves all searches of an index.
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

  score(concepts: readonly Concept[], view: View): Scores {
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

  #walk({ term, weight, share }: Member, view: View, hasRivals: boolean): void {
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
