import type { Embedder } from '../providers/meaning/embedder.ts'
import { checkedVector, checkedVectors } from '../providers/meaning/checked-vectors.ts'
import { toolTexts } from '../providers/meaning/tool-texts.ts'
import { DocumentReader, WHOLE_FLAG } from '../providers/bm25/index/document-reader.ts'
import { packDocument, type ReadDocument, wordItem } from '../providers/bm25/index/packed-document.ts'
import { ServerTable } from '../providers/bm25/index/server-table.ts'
import { Vocabulary } from '../providers/bm25/index/vocabulary.ts'
import type { IndexedTool } from '../tool/tool.ts'
import { quantisedMean } from '../vectors/quantise.ts'
import { textHash } from '../vectors/text-hash.ts'
import type { AnalysedTool } from './catalog-engine.ts'
import { traitsOf } from './tool-rule.ts'

/** The vocabulary is let go at this size, so that an analyser of millions of tools stays small. */
const MOST_WORDS = 100_000
const MOST_SERVERS = 1_000
/** So many tools are analysed before others get their turn: some ten milliseconds. */
const BATCH = 32

type ServerWords = Pick<ReadDocument, 'serverKey' | 'serverStems'>

/** Turns tools into what engines keep and what candidates are ranked by. */
export class ToolAnalyser {
  readonly #embedder: Embedder | undefined
  #vocabulary = new Vocabulary()
  #reader = new DocumentReader(this.#vocabulary)
  #servers = new ServerTable(this.#vocabulary)
  /** By name, the servers of the tools before. */
  readonly #known = new Map<string, ServerWords & { readonly description: string }>()

  /** Without an embedder tools have no vectors and are ranked by words alone. */
  constructor(embedder?: Embedder) {
    this.#embedder = embedder
  }

  /**
   * Analyses tools, in order, without holding up others for long.
   * @throws ToolSearchError EMBEDDER_FAILED, and the signal's reason when aborted
   */
  async analyse(tools: readonly IndexedTool[], signal?: AbortSignal): Promise<readonly AnalysedTool[]> {
    const analysed: AnalysedTool[] = []
    for (let start = 0; start < tools.length; start += BATCH) {
      signal?.throwIfAborted()
      const batch = tools.slice(start, start + BATCH)
      const vectors = await this.#vectorsOf(batch, signal)
      for (const [nth, tool] of batch.entries()) analysed.push(this.#analysed(tool, vectors?.[nth]))
      await othersTurn()
    }
    return analysed
  }

  #analysed(tool: IndexedTool, vector: Int8Array | undefined): AnalysedTool {
    const { id, namespace: server = '' } = tool
    const words = { terms: this.#termsOf(tool), traits: traitsOf(tool) }
    return { id, server, ...words, ...(vector !== undefined && { vector }) }
  }

  async #vectorsOf(tools: readonly IndexedTool[], signal?: AbortSignal): Promise<readonly Int8Array[] | undefined> {
    const embedder = this.#embedder
    if (embedder === undefined) return undefined
    const texts = tools.map(toolTexts)
    if (embedder.embedNow !== undefined) {
      return texts.map((some) =>
        quantisedMean(some.map((text) => checkedVector(embedder.embedNow?.(text) as Float32Array, embedder))),
      )
    }
    const all = texts.flat()
    const answer = await embedder.embed(all, { purpose: 'tool', ...(signal !== undefined && { signal }) })
    const vectors = checkedVectors(answer, all.length, embedder)
    let at = 0
    return texts.map((some) => quantisedMean(vectors.slice(at, (at += some.length))))
  }

  #termsOf(tool: IndexedTool): Uint8Array {
    if (this.#vocabulary.surfaceCount > MOST_WORDS) this.#startAnew()
    const reader = this.#reader
    reader.read(tool)
    const places = new Map<number, number>()
    const items = new Int32Array(reader.count)
    for (let i = 0; i < reader.count; i++) {
      const surface = reader.surfaces.get(i)
      if (surface < 0) {
        items[i] = -1 - surface
        continue
      }
      const word = surface & ~WHOLE_FLAG
      const place = places.get(word) ?? places.size
      places.set(word, place)
      items[i] = wordItem(place, word !== surface)
    }
    const words = Array.from(places.keys(), (word) => this.#vocabulary.surfaceText(word))
    return packDocument({ name: tool.name, ...this.#serverWords(tool), words, items })
  }

  #serverWords({ namespace, namespaceDescription: description = '' }: IndexedTool): ServerWords {
    if (namespace === undefined) return { serverKey: '', serverStems: [] }
    const known = this.#known.get(namespace)
    if (known?.description === description) return known
    const serverKey = `${namespace}\0${description === '' ? '' : textHash([description]).slice(0, 16)}`
    const serverStems = this.#servers
      .wordsOf(namespace, description)
      .map(([term, count]) => [this.#vocabulary.termText(term), count] as const)
    if (this.#known.size >= MOST_SERVERS) this.#known.clear()
    const words = { description, serverKey, serverStems }
    this.#known.set(namespace, words)
    return words
  }

  #startAnew(): void {
    this.#vocabulary = new Vocabulary()
    this.#reader = new DocumentReader(this.#vocabulary)
    this.#servers = new ServerTable(this.#vocabulary)
  }
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
