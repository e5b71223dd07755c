import type { Corpus } from './corpus.ts'
import type { CorpusView } from './corpus-view.ts'
import { saturations } from './frequency.ts'
import type { StemStatistics } from './word-statistics.ts'
import { bitOf, fieldBitsIn, frequencyIn, nameCountIn } from './posting.ts'

const SERVER_BIT = bitOf('server')
/** When more misspelt words than this were looked for in one view, all are forgotten. */
const MOST_MISSPELT = 500
/** When more servers than this are kept for the terms of the whole corpus, all are forgotten. */
const MOST_KEPT = 250_000
/** The same for a part of it, of which there may be many: a quarter of a megabyte. */
const MOST_KEPT_OF_PART = 20_000

/** What the visible documents and servers of a view say of a term. */
export interface TermFacts {
  /** Visible documents that have it. */
  readonly count: number
  /** Those of them whose server's name has it. */
  readonly inServerName: number
  /** How well it fits the document that it fits best: no document is paid more for it, before its weight. */
  readonly bestFit: number
  /** The visible servers that have it, in their own text or in the names of their visible tools. */
  readonly servers: Int32Array
  /** How well it fits each of them. */
  readonly serverFits: Float64Array
  /** How many servers have it: those of the catalog, where the corpus is only a part of it. */
  readonly serverCount: number
}

/**
 * The facts of the terms of one view. They are worked out when a search first asks for a term and serve all searches
 * after it, which then need not walk the postings of common words at all.
 */
export class ViewTerms {
  readonly #corpus: Corpus
  readonly #view: CorpusView
  readonly #facts = new Map<number, TermFacts>()
  #kept = 0
  readonly #meant = new Map<string, readonly number[]>()

  constructor(corpus: Corpus, view: Omit<CorpusView, 'terms'>) {
    this.#corpus = corpus
    this.#view = { ...view, terms: this }
  }

  of(term: number): TermFacts {
    const known = this.#facts.get(term)
    if (known !== undefined) return known
    const facts = this.#workOut(term)
    this.#kept += 1 + facts.servers.length
    if (this.#kept > (this.#view.visible === undefined ? MOST_KEPT : MOST_KEPT_OF_PART)) {
      this.#facts.clear()
      this.#kept = 1 + facts.servers.length
    }
    this.#facts.set(term, facts)
    return facts
  }

  /** How many tools of the catalog that the corpus is a part of have a term. */
  countInCatalog(term: number): number {
    return this.#inCatalog(term)?.tools ?? this.#corpus.postings.length(term)
  }

  /** The terms that a misspelt word may stand for. They are looked for once: it takes longer than the search. */
  meantBy(word: string, lookFor: () => readonly number[]): readonly number[] {
    const known = this.#meant.get(word)
    if (known !== undefined) return known
    if (this.#meant.size >= MOST_MISSPELT) this.#meant.clear()
    const meant = lookFor()
    this.#meant.set(word, meant)
    return meant
  }

  #inCatalog(term: number): StemStatistics | undefined {
    const { catalog } = this.#view
    return catalog?.stems.get(this.#corpus.vocabulary.termText(term))
  }

  #workOut(term: number): TermFacts {
    const { visible } = this.#view
    const { postings } = this.#corpus
    const { documents, values } = postings
    const lengths = this.#corpus.lengths.items
    const serverOf = this.#corpus.serverOf.items
    const { whole, perLength } = saturations(this.#view).tools
    const nameCounts = new Map<number, number>()
    let [count, inServerName, bestFit] = [0, 0, 0]
    const end = postings.start(term) + postings.length(term)
    for (let at = postings.start(term); at < end; at++) {
      const document = documents[at] as number
      if (visible !== undefined && visible[document] === 0) continue
      count++
      const posting = values[at] as number
      const frequency = frequencyIn(posting)
      const fit = frequency / (frequency + whole + perLength * (lengths[document] as number))
      if (fit > bestFit) bestFit = fit
      if ((fieldBitsIn(posting) & SERVER_BIT) !== 0) inServerName++
      const server = serverOf[document] as number
      const times = nameCountIn(posting)
      if (times !== 0 && server >= 0) nameCounts.set(server, (nameCounts.get(server) ?? 0) + times)
    }
    const { tools = count, inServerName: inName = inServerName } = this.#inCatalog(term) ?? {}
    return { count: tools, inServerName: inName, bestFit, ...this.#serverFacts(term, nameCounts) }
  }

  #serverFacts(term: number, nameCounts: Map<number, number>) {
    const view = this.#view
    const { ownLengths } = this.#corpus.servers
    const { whole, perLength } = saturations(view).servers
    const counts = view.catalog === undefined ? this.#withOwnText(term, nameCounts) : this.#catalogCounts(term)
    const servers = Int32Array.from(counts.keys())
    const serverFits = new Float64Array(servers.length)
    let nth = 0
    for (const [server, count] of counts) {
      const length = ownLengths.get(server) + (view.nameLengths[server] as number)
      serverFits[nth++] = count / (count + whole + perLength * length)
    }
    return { servers, serverFits, serverCount: this.#inCatalog(term)?.servers ?? servers.length }
  }

  #withOwnText(term: number, counts: Map<number, number>): Map<number, number> {
    const { ownPostings } = this.#corpus.servers
    const { toolCounts } = this.#view
    const end = ownPostings.start(term) + ownPostings.length(term)
    for (let at = ownPostings.start(term); at < end; at++) {
      const server = ownPostings.documents[at] as number
      if (toolCounts[server] === 0) continue
      counts.set(server, (counts.get(server) ?? 0) + (ownPostings.values[at] as number))
    }
    return counts
  }

  #catalogCounts(term: number): Map<number, number> {
    const { servers, vocabulary } = this.#corpus
    const stem = vocabulary.termText(term)
    const counts = new Map<number, number>()
    for (let server = 0; server < servers.size; server++) {
      const count = this.#view.catalog?.servers.get(servers.keyOf(server))?.counts.get(stem) ?? 0
      if (count > 0) counts.set(server, count)
    }
    return counts
  }
}
