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

  constructor(mean: number, variance: number) {
    this.mean = mean
    this.perUnit = variance > 0 ? 1 / Math.sqrt(variance) : 0
  }

  /** From the number of values, their sum and the sum of their squares. */
  static ofSums(count: number, sum: number, squares: number): Deviation {
    return count === 0
      ? new Deviation(0, 0)
      : new Deviation(sum / count, (count * squares - sum * sum) / (count * count))
  }

  /** How many deviations a value is above the mean. */
  of(value: number): number {
    return (value - this.mean) * this.perUnit
  }
}

/** How near all tools of a catalog are to a query of which the corpus has only some. */
export interface CatalogNearness {
  readonly deviation: Deviation
  /** By how many deviations the server with a key is nearer than all on average. */
  readonly ofServer: (key: string) => number
}

/** How near the documents of a view are to a query. Owns its arrays; valid until the next query. */
export class MeaningScores {
  /** By document, in parts of `COSINE_ONE`; 0 for documents that are not visible. */
  cosines = new Int32Array(0)
  /**
   * The cosine of what is nearest, the query as a whole or one of its clauses: how well a document serves any of it.
   */
  nearest = new Int32Array(0)
  deviation = new Deviation(0, 0)
  readonly servers = new ServerNearness()
  #best = new Int32Array(0)

  /**
   * Measures a query by its vectors, the whole first and then its clauses.
   * @param catalog how near all tools are, where the corpus has only some of them
   */
  measure(
    queries: readonly Int8Array[],
    rows: VectorRows,
    corpus: Corpus,
    view: CorpusView,
    catalog?: CatalogNearness,
  ): void {
    const { size } = corpus
    this.#reserve(size)
    const [whole, ...clauses] = queries
    if (whole === undefined) return
    this.nearest = this.cosines
    if (clauses.length === 0) rows.cosines(whole, size, view.visible, this.cosines)
    else {
      rows.cosines(whole, size, view.visible, this.cosines, { queries: clauses, nearest: this.#best })
      this.#addClauses(size)
    }
    if (catalog === undefined) this.#sumUp(corpus, view)
    else this.#takeOver(catalog, corpus)
  }

  #reserve(documents: number): void {
    if (this.cosines.length < documents) {
      const capacity = Math.ceil(documents * 1.25)
      this.cosines = new Int32Array(capacity)
      this.#best = new Int32Array(capacity)
    }
  }

  #addClauses(size: number): void {
    this.nearest = this.#best
    for (let document = 0; document < size; document++) {
      const whole = this.cosines[document] as number
      const clause = this.#best[document] as number
      this.cosines[document] = Math.round(whole + CLAUSE_SHARE * (clause - whole))
      if (whole > clause) this.nearest[document] = whole
    }
  }

  #takeOver({ deviation, ofServer }: CatalogNearness, { servers }: Corpus): void {
    this.deviation = deviation
    const sums = this.servers.begin(servers.size)
    for (let server = 0; server < servers.size; server++) sums[server] = ofServer(servers.keyOf(server))
  }

  /** One pass for all sums, server by server: at a hundred thousand tools every pass and every store is felt. */
  #sumUp(corpus: Corpus, { toolCounts, count }: CorpusView): void {
    const [cosines, serverOf, { size }] = [this.cosines, corpus.serverOf.items, corpus]
    const sums = this.servers.begin(corpus.servers.size)
    let [sum, squares] = [0, 0]
    // What is not visible and empty slots are near nothing, so that they leave no trace.
    for (let document = 0; document < size; ) {
      const server = serverOf[document] as number
      let ofServer = 0
      do {
        const cosine = cosines[document++] as number
        ofServer += cosine
        squares += cosine * cosine
      } while (document < size && serverOf[document] === server)
      sum += ofServer
      if (server >= 0) sums[server] = (sums[server] as number) + ofServer
    }
    this.deviation = Deviation.ofSums(count, sum, squares)
    this.servers.end(toolCounts, corpus.servers.size)
  }
}

/**
 * How near the visible tools of each server are to a query, on average: what a long request is about shows in all tools
 * of the right server. No vector of its own is needed, since the mean of the cosines is the cosine of the mean.
 */
class ServerNearness {
  /** By server: the sum of its tools' cosines, then their mean, and finally by how many deviations it is above all. */
  #values = new Float64Array(0)

  /** Where the cosines of tools are to be summed up, by server. */
  begin(servers: number): Float64Array {
    if (this.#values.length < servers) this.#values = new Float64Array(Math.ceil(servers * 1.25))
    this.#values.fill(0, 0, servers)
    return this.#values
  }

  /** Works out the nearness of the servers once all cosines are summed up. */
  end(toolCounts: Int32Array, servers: number): void {
    let [tools, sum, squares] = [0, 0, 0]
    for (let server = 0; server < servers; server++) {
      const count = toolCounts[server] as number
      if (count === 0) continue
      // A whole number, so that the sums are exact.
      const mean = Math.round((this.#values[server] as number) / count)
      this.#values[server] = mean
      tools += count
      sum += count * mean
      squares += count * mean * mean
    }
    const deviation = Deviation.ofSums(tools, sum, squares)
    for (let server = 0; server < servers; server++) this.#values[server] = deviation.of(this.#values[server] as number)
  }

  /** The most deviations that any of the servers is above the mean; 0 at least, as for tools without a server. */
  highest(servers: number): number {
    let highest = 0
    for (let server = 0; server < servers; server++) highest = Math.max(highest, this.#values[server] as number)
    return highest
  }

  /** By server: how many deviations it is above the mean of all tools' servers. */
  get deviations(): Float64Array {
    return this.#values
  }
}
