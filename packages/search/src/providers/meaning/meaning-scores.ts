import type { Corpus } from '../bm25/corpus.ts'
import type { View } from '../bm25/view.ts'
import type { VectorRows } from '../../vectors/vector-rows.ts'
import { Deviation } from './deviation.ts'
import { CLAUSE_SHARE } from './parameters.ts'
import { ServerNearness } from './server-nearness.ts'

/** How near the documents of a view are to a query. Owns its arrays; valid until the next query. */
export class MeaningScores {
  /** By document, in parts of `COSINE_ONE`; of documents that are not visible it says nothing. */
  cosines = new Int32Array(0)
  /** The cosine of what is nearest, the query as a whole or one of its clauses: how well a document serves any of it. */
  nearest = new Int32Array(0)
  deviation = new Deviation(0, 0, 0)
  readonly servers = new ServerNearness()
  #clause = new Int32Array(0)
  #best = new Int32Array(0)

  /** Measures a query by its vectors, the whole first and then its clauses. */
  measure(queries: readonly Int8Array[], rows: VectorRows, corpus: Corpus, view: View): void {
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

  #addClauses(clauses: readonly Int8Array[], rows: VectorRows, size: number, view: View): void {
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

  #sumUp(size: number, view: View): void {
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
