import type { VectorRows } from '../../vectors/vector-rows.ts'
import type { Corpus } from '../bm25/index/corpus.ts'
import type { CorpusView } from '../bm25/index/corpus-view.ts'
import { CLAUSE_SHARE } from './parameters.ts'

/**
 * Scores of different kinds are added after each is expressed in deviations from its mean over all tools of a view, so
 * that neither kind drowns the other. `mean` and `deviation` come from sums of whole numbers: exact, in any order.
 */
export class Deviation {
  readonly mean: number
  /** 1 / standard deviation; 0 where all are the same. */
  readonly perUnit: number

  /** From the number of values, their sum and the sum of their squares. */
  constructor(count: number, sum: number, squares: number) {
    this.mean = count === 0 ? 0 : sum / count
    const variance = count === 0 ? 0 : (count * squares - sum * sum) / (count * count)
    this.perUnit = variance > 0 ? 1 / Math.sqrt(variance) : 0
  }

  /** How many deviations a value is above the mean. */
  of(value: number): number {
    return (value - this.mean) * this.perUnit
  }
}

/** How near the documents of a view are to a query. Owns its arrays; valid until the next query. */
export class MeaningScores {
  /** By document, in parts of `COSINE_ONE`; undefined for documents that are not visible. */
  cosines = new Int32Array(0)
  /**
   * The cosine of what is nearest, the query as a whole or one of its clauses: how well a document serves any of it.
   */
  nearest = new Int32Array(0)
  deviation = new Deviation(0, 0, 0)
  readonly servers = new ServerNearness()
  #clause = new Int32Array(0)
  #best = new Int32Array(0)

  /** Measures a query by its vectors, the whole first and then its clauses. */
  measure(queries: readonly Int8Array[], rows: VectorRows, corpus: Corpus, view: CorpusView): void {
    const { size } = corpus
    this.#reserve(size)
    const [whole, ...clauses] = queries
    if (whole === undefined) return
    rows.cosines(whole, size, view.visible, this.cosines)
    this.nearest = this.cosines
    if (clauses.length > 0) this.#addClauses(clauses, rows, size, view)
    this.#sumUp(size, view)
    this.servers.measure(this.cosines, corpus, view)
  }

  #reserve(documents: number): void {
    if (this.cosines.length < documents) {
      const capacity = Math.ceil(documents * 1.25)
      this.cosines = new Int32Array(capacity)
      this.#clause = new Int32Array(capacity)
      this.#best = new Int32Array(capacity)
    }
  }

  #addClauses(clauses: readonly Int8Array[], rows: VectorRows, size: number, view: CorpusView): void {
    for (const [number, clause] of clauses.entries()) {
      rows.cosines(clause, size, view.visible, number === 0 ? this.#best : this.#clause)
      if (number === 0) continue
      for (let document = 0; document < size; document++) {
        const cosine = this.#clause[document] as number
        if (cosine > (this.#best[document] as number)) this.#best[document] = cosine
      }
    }
    this.nearest = this.#best
    for (let document = 0; document < size; document++) {
      const whole = this.cosines[document] as number
      const clause = this.#best[document] as number
      this.cosines[document] = Math.round(whole + CLAUSE_SHARE * (clause - whole))
      if (whole > clause) this.nearest[document] = whole
    }
  }

  #sumUp(size: number, view: CorpusView): void {
    let [sum, squares] = [0, 0]
    // Empty slots are near nothing, so that they leave no trace.
    for (let document = 0; document < size; document++) {
      if (view.visible !== undefined && view.visible[document] === 0) continue
      const cosine = this.cosines[document] as number
      sum += cosine
      squares += cosine * cosine
    }
    this.deviation = new Deviation(view.count, sum, squares)
  }
}

/**
 * How near the visible tools of each server are to a query, on average: what a long request is about shows in all tools
 * of the right server. No vector of its own is needed, since the mean of the cosines is the cosine of the mean.
 */
class ServerNearness {
  #means = new Float64Array(0)
  #counts = new Int32Array(0)
  #deviation = new Deviation(0, 0, 0)

  /** Sums up the cosines of the documents by server. */
  measure(cosines: Int32Array, corpus: Corpus, view: CorpusView): void {
    this.#clear(corpus.servers.size)
    const serverOf = corpus.serverOf.items
    // Empty slots belong to no server.
    for (let document = 0; document < corpus.size; document++) {
      const server = serverOf[document] as number
      if (server < 0 || (view.visible !== undefined && view.visible[document] === 0)) continue
      this.#means[server] = (this.#means[server] as number) + (cosines[document] as number)
      this.#counts[server] = (this.#counts[server] as number) + 1
    }
    this.#sumUp(corpus.servers.size)
  }

  /** How many deviations a server is above the mean of all tools' servers; 0 for no server. */
  of(server: number): number {
    return server < 0 ? 0 : this.#deviation.of(this.#means[server] as number)
  }

  #clear(servers: number): void {
    if (this.#means.length < servers) {
      const capacity = Math.ceil(servers * 1.25)
      this.#means = new Float64Array(capacity)
      this.#counts = new Int32Array(capacity)
    }
    this.#means.fill(0, 0, servers)
    this.#counts.fill(0, 0, servers)
  }

  #sumUp(servers: number): void {
    let [tools, sum, squares] = [0, 0, 0]
    for (let server = 0; server < servers; server++) {
      const count = this.#counts[server] as number
      if (count === 0) continue
      // A whole number, so that the sums are exact.
      const mean = Math.round((this.#means[server] as number) / count)
      this.#means[server] = mean
      tools += count
      sum += count * mean
      squares += count * mean * mean
    }
    this.#deviation = new Deviation(tools, sum, squares)
  }
}
