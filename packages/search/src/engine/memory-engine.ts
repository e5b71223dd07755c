import { compareIds } from '../providers/compare-ids.ts'
import { Corpus } from '../providers/bm25/index/corpus.ts'
import { rarity, saturations } from '../providers/bm25/index/frequency.ts'
import { frequencyIn } from '../providers/bm25/index/posting.ts'
import { unpackDocument } from '../providers/bm25/index/packed-document.ts'
import { foldName } from '../providers/bm25/index/untokenized-names.ts'
import { ScoreBoard } from '../providers/bm25/score/score-board.ts'
import { topDocuments } from '../providers/bm25/score/top-documents.ts'
import { quantise } from '../vectors/quantise.ts'
import { VectorRows } from '../vectors/vector-rows.ts'
import { CatalogFigures } from './catalog-figures.ts'
import type {
  AnalysedTool,
  CandidateOptions,
  Candidates,
  CatalogDelta,
  CatalogEngine,
  ToolRule,
  Wanted,
  WantedStem,
} from './catalog-engine.ts'
import { requireRevision, staleness } from './revisions.ts'
import { allowedByRule } from './tool-rule.ts'

/** Beside the share of the best by words and meaning together, so many are taken by either alone. */
const SHARES = { both: 0.5, words: 0.25 } as const

/** An engine in memory: exact, for catalogs that one process can hold, and the measure of all others. */
export class MemoryEngine implements CatalogEngine {
  readonly #tools = new Map<string, AnalysedTool>()
  readonly #corpus = new Corpus()
  readonly #figures = new CatalogFigures()
  readonly #names = new Map<string, Set<string>>()
  readonly #visible = new WeakMap<ToolRule, Visible>()
  readonly #words = new ScoreBoard()
  readonly #both = new ScoreBoard()
  #rows: VectorRows | undefined
  #cosines = new Int32Array(0)
  #revision = 0

  async revision(): Promise<number> {
    return this.#revision
  }

  async apply(delta: CatalogDelta, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (staleness(delta, this.#revision) === 'known') return
    // Everything that can fail comes first.
    const put = delta.put.map((tool) => [tool, unpackDocument(tool.terms)] as const)
    for (const id of delta.remove) this.#remove(id)
    for (const [tool, read] of put) {
      this.#remove(tool.id)
      const { id, server } = tool
      const identity = { id, name: read.name, ...(server !== '' && { namespace: server }) }
      this.#tools.set(id, tool)
      this.#figures.add(tool)
      this.#corpus.putRead([[identity, read]])
      this.#nameSet(read.name).add(id)
      if (tool.vector === undefined) continue
      this.#rows ??= new VectorRows(tool.vector.length)
      this.#rows.set(this.#corpus.numberOf(id) ?? 0, tool.vector)
    }
    this.#revision = delta.to
  }

  async candidates(wanted: Wanted, rule: ToolRule, k: number, options: CandidateOptions = {}): Promise<Candidates> {
    options.signal?.throwIfAborted()
    requireRevision(this.#revision, options.atLeast)
    const visible = this.#allowed(rule)
    const stems = this.#figures.lookUps(wanted)
    const complete = visible.count <= k
    const found = complete ? visible.documents : this.#best(wanted, stems, visible, k)
    const tools = Array.from(found, (document) => this.#tools.get(this.#corpus.tool(document).id) as AnalysedTool)
    const statistics = this.#figures.statisticsFor(wanted, stems, tools)
    return { revision: this.#revision, tools, statistics, complete }
  }

  async scope(rule: ToolRule, most: number): Promise<readonly AnalysedTool[] | undefined> {
    const allowed = allowedByRule(rule)
    const tools: AnalysedTool[] = []
    for (const tool of this.#tools.values()) {
      if (!allowed(tool)) continue
      if (tools.length === most) return undefined
      tools.push(tool)
    }
    return tools
  }

  async tend(): Promise<void> {}

  async close(): Promise<void> {}

  #remove(id: string): void {
    const tool = this.#tools.get(id)
    const document = this.#corpus.numberOf(id)
    if (tool === undefined || document === undefined) return
    this.#figures.remove(tool)
    this.#rows?.delete(document)
    this.#nameSet(this.#corpus.tool(document).name).delete(id)
    this.#corpus.remove([id])
    this.#tools.delete(id)
  }

  #nameSet(name: string): Set<string> {
    const folded = foldName(name)
    const known = this.#names.get(folded) ?? new Set()
    this.#names.set(folded, known)
    return known
  }

  /** Rules are asked with again and again. */
  #allowed(rule: ToolRule): Visible {
    const known = this.#visible.get(rule)
    if (known?.revision === this.#revision) return known
    const visible = this.#judge(rule)
    this.#visible.set(rule, visible)
    return visible
  }

  #judge(rule: ToolRule): Visible {
    const allowed = allowedByRule(rule)
    const mask = new Uint8Array(this.#corpus.size)
    const documents: number[] = []
    for (const document of this.#corpus.numbers()) {
      if (!allowed(this.#tools.get(this.#corpus.tool(document).id) as AnalysedTool)) continue
      mask[document] = 1
      documents.push(document)
    }
    return { mask, documents, count: documents.length, revision: this.#revision }
  }

  /** Half of the candidates are the best by words and meaning together, the rest the best by either, and the named. */
  #best(wanted: Wanted, stems: readonly WantedStem[], visible: Visible, k: number): ReadonlySet<number> {
    this.#scoreWords(stems, visible)
    const cosines = this.#measure(wanted, visible)
    const named = wanted.names
      .flatMap((name) => [...(this.#names.get(name) ?? [])])
      .flatMap((id) => this.#corpus.numberOf(id) ?? [])
      .filter((document) => visible.mask[document] === 1)
    const found = new Set(
      named.toSorted((a, b) => compareIds(this.#corpus.tool(a).id, this.#corpus.tool(b).id)).slice(0, k),
    )
    const take = (documents: readonly number[], most: number): void => {
      for (const document of documents) if (found.size < most) found.add(document)
    }
    this.#add(cosines, visible)
    take(this.#top(this.#both, k), Math.ceil(SHARES.both * k))
    take(this.#top(this.#words, k), cosines === undefined ? k : Math.ceil((SHARES.both + SHARES.words) * k))
    if (cosines !== undefined) take(this.#nearest(cosines, visible, k), k)
    take(this.#top(this.#both, k), k)
    return found
  }

  #top(board: ScoreBoard, most: number): number[] {
    const { values } = board
    return topDocuments(board, most, this.#corpus).toSorted((a, b) => (values[b] as number) - (values[a] as number))
  }

  #scoreWords(stems: readonly WantedStem[], { mask }: Visible): void {
    const { postings, lengths, vocabulary, count, totalLength, size } = this.#corpus
    this.#words.reset(size)
    const averages = { averageLength: count === 0 ? 0 : totalLength / count, averageServerLength: 0 }
    const { whole, perLength } = saturations(averages).tools
    for (const { stem, weight } of stems) {
      const term = vocabulary.findTerm(stem)
      const worth = weight * rarity(postings.length(term), count)
      const start = term < 0 ? 0 : postings.start(term)
      for (let at = start; at < start + postings.length(term); at++) {
        const document = postings.documents[at] as number
        if (mask[document] === 0) continue
        const frequency = frequencyIn(postings.values[at] as number)
        this.#words.add(document, (worth * frequency) / (frequency + whole + perLength * lengths.get(document)))
      }
    }
  }

  /** The cosines of the nearest of the wanted vectors, by document. */
  #measure({ vectors }: Wanted, { mask }: Visible): Int32Array | undefined {
    const { size } = this.#corpus
    if (this.#rows === undefined || vectors.length === 0 || vectors[0]?.length !== this.#rows.dimensions)
      return undefined
    if (this.#cosines.length < size) this.#cosines = new Int32Array(Math.ceil(1.25 * size))
    const own = new Int32Array(size)
    for (const [nth, vector] of vectors.entries()) {
      this.#rows.cosines(quantise(vector), size, mask, own)
      for (let document = 0; document < size; document++) {
        const cosine = own[document] as number
        if (nth === 0 || cosine > (this.#cosines[document] as number)) this.#cosines[document] = cosine
      }
    }
    return this.#cosines
  }

  /** Adds words and meaning in deviations from their means, from 0 on. */
  #add(cosines: Int32Array | undefined, { documents }: Visible): void {
    const words = spreadOf(documents, (document) => this.#words.values[document] as number)
    const meaning = spreadOf(documents, (document) => cosines?.[document] ?? 0)
    this.#both.reset(this.#corpus.size)
    for (const document of documents) {
      const score =
        ((this.#words.values[document] as number) - words.least) * words.perUnit +
        ((cosines?.[document] ?? 0) - meaning.least) * meaning.perUnit
      if (score > 0) this.#both.add(document, score)
    }
  }

  #nearest(cosines: Int32Array, { documents }: Visible, most: number): number[] {
    const board = this.#both
    board.reset(this.#corpus.size)
    const { least } = spreadOf(documents, (document) => cosines[document] as number)
    for (const document of documents) board.add(document, 1 + (cosines[document] as number) - least)
    return this.#top(board, most)
  }
}

interface Visible {
  /** 1 for an allowed document, by number. */
  readonly mask: Uint8Array
  readonly documents: readonly number[]
  readonly count: number
  readonly revision: number
}

function spreadOf(documents: readonly number[], valueOf: (document: number) => number) {
  let [sum, squares, least] = [0, 0, Number.POSITIVE_INFINITY]
  for (const document of documents) {
    const value = valueOf(document)
    sum += value
    squares += value * value
    least = Math.min(least, value)
  }
  const variance = squares / documents.length - (sum / documents.length) ** 2
  return { least, perUnit: variance > 0 ? 1 / Math.sqrt(variance) : 0 }
}
