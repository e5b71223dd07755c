import type { Embedder, VectorCache } from './embedder.ts'
import type { SavedReader, SavedWriter } from '../../saved/saved-parts.ts'
import type { ToolChange } from '../search-provider.ts'
import type { WordSearch } from '../bm25/word-search.ts'
import { EmbeddedTools } from './embedded-tools.ts'
import { toolTexts } from './tool-texts.ts'

/** Options that all sets of vectors share. */
export interface SetOptions {
  readonly cache?: VectorCache | undefined
  readonly now: () => number
}

/** One set of vectors for each embedder, in order of preference, kept in step with the tools. */
export class EmbedderSets {
  readonly #words: WordSearch
  readonly #options: SetOptions
  #wanted: readonly EmbeddedTools[]
  /** Sets of embedders that were replaced; they serve until one of the new ones has all vectors. */
  #retired: readonly EmbeddedTools[] = []

  constructor(words: WordSearch, embedders: readonly Embedder[], options: SetOptions) {
    this.#words = words
    this.#options = options
    this.#wanted = embedders.map((embedder) => this.#newSet(embedder))
  }

  /** The sets to ask, in order. */
  get sets(): readonly EmbeddedTools[] {
    if (this.#retired.length > 0 && this.#wanted.some((set) => set.pendingCount === 0)) this.#retire([])
    return [...this.#wanted, ...this.#retired]
  }

  /** Takes over a change of the tools, the corpus included. */
  apply(change: ToolChange): void {
    const { corpus } = this.#words
    const sets = this.sets
    for (const { id } of [...change.removed, ...change.changed, ...change.added]) {
      const document = corpus.numberOf(id)
      if (document !== undefined) for (const set of sets) set.delete(document)
    }
    this.#words.apply(change)
    for (const { id } of [...change.changed, ...change.added]) {
      const document = corpus.numberOf(id)
      if (document !== undefined) for (const set of sets) set.put(document)
    }
    this.wake()
  }

  /** Writes the vectors of embedders that have all of them. */
  save(to: SavedWriter): void {
    for (const set of this.sets) set.save(to, this.#words.corpus.size)
  }

  /** Takes over the tools of the restored corpus, and their vectors where they were saved; others are embedded. */
  restore(from: SavedReader): void {
    for (const set of this.sets) {
      if (set.restore(from)) continue
      for (const document of this.#words.corpus.numbers()) set.put(document)
    }
    this.wake()
  }

  /**
   * Other embedders from now on. Vectors of those that stay are kept; the others' serve until the new ones are there.
   */
  replace(embedders: readonly Embedder[]): void {
    const before = [...this.#wanted, ...this.#retired]
    const keptOf = (embedder: Embedder): EmbeddedTools | undefined => before.find((set) => set.embedder === embedder)
    this.#wanted = embedders.map((embedder) => keptOf(embedder) ?? this.#filled(this.#newSet(embedder)))
    this.#retire(before.filter((set) => !this.#wanted.includes(set)))
    this.wake()
  }

  /** Goes on with background work where some is left. */
  wake(): void {
    for (const set of this.#wanted) set.wake()
  }

  async settled(): Promise<void> {
    for (const set of this.sets) await set.settled()
  }

  close(): void {
    for (const set of this.sets) set.close()
  }

  #retire(kept: readonly EmbeddedTools[]): void {
    for (const set of this.#retired) if (!kept.includes(set) && !this.#wanted.includes(set)) set.close()
    this.#retired = kept
  }

  #newSet(embedder: Embedder): EmbeddedTools {
    const { corpus } = this.#words
    return new EmbeddedTools(embedder, { ...this.#options, textsOf: (document) => toolTexts(corpus.tool(document)) })
  }

  #filled(set: EmbeddedTools): EmbeddedTools {
    for (const document of this.#words.corpus.numbers()) set.enqueue(document)
    return set
  }
}
