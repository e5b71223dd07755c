import type { Corpus } from '../bm25/corpus.ts'
import type { View } from '../bm25/view.ts'
import { Deviation } from './deviation.ts'

/**
 * How near the visible tools of each server are to a query, on average: what a long request is about shows in all tools
 * of the right server. No vector of its own is needed, since the mean of the cosines is the cosine of the mean.
 */
export class ServerNearness {
  #means = new Float64Array(0)
  #counts = new Int32Array(0)
  #deviation = new Deviation(0, 0, 0)

  /** Sums up the cosines of the documents by server. */
  measure(cosines: Int32Array, corpus: Corpus, view: View): void {
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
