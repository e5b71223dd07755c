/** Turns texts into vectors that are near each other where the texts mean alike. */
export interface Embedder {
  /** Names model and version; travels with every vector, because vectors of different models cannot be compared. */
  readonly id: string
  /** Length of every vector; 0 while it is not known, as before the first answer of a service. */
  readonly dimensions: number
  /**
   * The weight of nearness beside words in `hybrid`, in multiples of that of the built-in table; default 1.
   */
  readonly weight?: number
  /**
   * `en` for a model that reads English alone: a query in another language is handed over in the English words that it
   * means, as far as a `queryReader` could read it. Other models get the query as typed, followed by these words.
   */
  readonly language?: 'en'
  /**
   * One unit vector for each text, in order. A text without any known word yields the zero vector.
   * @throws ToolSearchError EMBEDDER_FAILED when it cannot answer; the signal's reason when aborted.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>
  /** The same at once, for embedders that need no waiting. */
  embedNow?(text: string): Float32Array
}

/** How texts are embedded. */
export interface EmbedOptions {
  /** Models that treat questions and documents differently want to know. */
  readonly purpose?: 'query' | 'tool'
  readonly signal?: AbortSignal
}

/**
 * Keeps vectors beyond the life of the process, so that nothing is embedded twice. A cache: losing it loses time only.
 */
export interface VectorCache {
  /** The vectors that are known, by the hash of what was embedded. */
  load(embedderId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Int8Array>>
  save(embedderId: string, vectors: ReadonlyMap<string, Int8Array>): Promise<void>
}
