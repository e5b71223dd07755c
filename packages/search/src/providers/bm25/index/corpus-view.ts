import { type ToolFilter, allows, namedIds } from '../../../tool/tool-filter.ts'
import { ToolScope } from '../../../tool/tool-scope.ts'
import type { WordStatistics } from './word-statistics.ts'
import type { Corpus } from './corpus.ts'
import { NO_SERVER } from './server-table.ts'
import { ViewTerms } from './term-facts.ts'

/**
 * The documents that a search may see, with the statistics of just those: a search through a view scores to the last
 * bit as an index that holds nothing else. All sums are of whole numbers, so the order of adding leaves no trace.
 */
export interface CorpusView {
  /** 1 for a visible document, by number; absent where all are visible. */
  readonly visible: Uint8Array | undefined
  readonly count: number
  readonly averageLength: number
  /** Visible tools, by server. */
  readonly toolCounts: Int32Array
  readonly serverCount: number
  /** Words of the visible tools' names, by server. */
  readonly nameLengths: Int32Array
  readonly averageServerLength: number
  /** The statistics of the whole catalog, where the corpus is only a part of it. */
  readonly catalog?: WordStatistics
  readonly terms: ViewTerms
}

/** Makes views, and keeps those of scopes while the corpus is unchanged. */
export class CorpusViews {
  readonly #corpus: Corpus
  readonly #catalog: WordStatistics | undefined
  readonly #ofScope = new WeakMap<ToolScope, { readonly revision: number; readonly view: CorpusView }>()
  #whole: { readonly revision: number; readonly view: CorpusView } | undefined

  constructor(corpus: Corpus, catalog?: WordStatistics) {
    this.#corpus = corpus
    this.#catalog = catalog
  }

  viewOf(filter: ToolFilter | undefined): CorpusView {
    if (filter === undefined) return this.#wholeView()
    if (!(filter instanceof ToolScope)) return filteredView(this.#corpus, filter)
    const revision = this.#corpus.revision
    const known = this.#ofScope.get(filter)
    if (known?.revision === revision) return known.view
    const view = filteredView(this.#corpus, filter)
    this.#ofScope.set(filter, { revision, view })
    return view
  }

  #wholeOrPart(): CorpusView {
    return this.#catalog === undefined ? wholeView(this.#corpus) : partialView(this.#corpus, this.#catalog)
  }

  #wholeView(): CorpusView {
    const revision = this.#corpus.revision
    if (this.#whole?.revision !== revision) this.#whole = { revision, view: this.#wholeOrPart() }
    return this.#whole.view
  }
}

/** The corpus as a part of a catalog: the numbers are the catalog's. */
function partialView(corpus: Corpus, catalog: WordStatistics): CorpusView {
  const { count, averageLength, serverCount, averageServerLength } = catalog
  const nameLengths = new Int32Array(corpus.servers.size)
  for (let server = 0; server < nameLengths.length; server++) {
    nameLengths[server] = catalog.servers.get(corpus.servers.keyOf(server))?.nameLength ?? 0
  }
  return withTerms(corpus, {
    ...wholeView(corpus),
    count,
    averageLength,
    serverCount,
    averageServerLength,
    nameLengths,
    catalog,
  })
}

function wholeView(corpus: Corpus): CorpusView {
  const { servers } = corpus
  return withTerms(corpus, {
    visible: undefined,
    count: corpus.count,
    averageLength: average(corpus.totalLength, corpus.count),
    toolCounts: servers.toolCounts.items,
    serverCount: servers.count,
    nameLengths: servers.nameLengths.items,
    averageServerLength: average(servers.totalLength, servers.count),
  })
}

function filteredView(corpus: Corpus, filter: ToolFilter): CorpusView {
  const { servers } = corpus
  const visible = new Uint8Array(corpus.size)
  const toolCounts = new Int32Array(servers.size)
  const nameLengths = new Int32Array(servers.size)
  let count = 0
  let totalLength = 0
  let serverCount = 0
  let totalServerLength = 0
  for (const number of visibleDocuments(corpus, filter)) {
    visible[number] = 1
    count++
    totalLength += corpus.lengths.get(number)
    const server = corpus.serverOf.get(number)
    if (server === NO_SERVER) continue
    const before = toolCounts[server] as number
    toolCounts[server] = before + 1
    if (before === 0) {
      serverCount++
      totalServerLength += servers.ownLengths.get(server)
    }
    nameLengths[server] = (nameLengths[server] as number) + corpus.nameLengths.get(number)
    totalServerLength += corpus.nameLengths.get(number)
  }
  return withTerms(corpus, {
    visible,
    count,
    averageLength: average(totalLength, count),
    toolCounts,
    serverCount,
    nameLengths,
    averageServerLength: average(totalServerLength, serverCount),
  })
}

function withTerms(corpus: Corpus, view: Omit<CorpusView, 'terms'>): CorpusView {
  return { ...view, terms: new ViewTerms(corpus, view) }
}

function* visibleDocuments(corpus: Corpus, filter: ToolFilter): Iterable<number> {
  const named = namedIds(filter)
  if (named === undefined) {
    for (const number of corpus.numbers()) if (allows(filter, corpus.tool(number))) yield number
    return
  }
  for (const id of named) {
    const number = corpus.numberOf(id)
    if (number !== undefined) yield number
  }
}

function average(total: number, count: number): number {
  return count === 0 ? 0 : total / count
}
