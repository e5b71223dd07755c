import type { Embedder, VectorCache } from './embedder.ts'
import { ToolSearchError } from '../../errors.ts'
import type { SavedReader, SavedWriter } from '../../saved/saved-parts.ts'
import { quantise, quantisedMean } from '../../vectors/quantise.ts'
import { textHash } from '../../vectors/text-hash.ts'
import { VectorRows } from '../../vectors/vector-rows.ts'
import { type Calibration, calibrate, calibrateNow } from './calibration.ts'
import { checkedVector, checkedVectors, failureReason } from './checked-vectors.ts'
import { inTime } from './in-time.ts'

/** Tools that are embedded at once in the background. */
const BATCH = 32
/** A batch that takes longer will not come. */
const BATCH_LIMIT_MS = 60_000
/** After a failure the embedder is left alone for so long. */
const REST_MS = 15_000
/** A single late answer is an accident; after this many in a row every search would only lose its time limit. */
const QUERY_FAILURES_UNTIL_REST = 3

interface SavedVectors {
  readonly dimensions: number
  readonly calibration: Calibration
}

/** Options of the vectors of one embedder. */
export interface EmbeddedToolsOptions {
  /** The texts of a document; absent for one that is gone. */
  readonly textsOf: (document: number) => readonly string[]
  readonly cache?: VectorCache | undefined
  readonly now: () => number
}

/**
 * The vectors of all documents by one embedder, by document number. An embedder that needs no waiting embeds at once;
 * others are asked in batches in the background, and so is every embedder after it has failed.
 */
export class EmbeddedTools {
  readonly embedder: Embedder
  readonly #options: EmbeddedToolsOptions
  /** Documents without a vector, each with a number that changes when the document does. */
  readonly #pending = new Map<number, number>()
  readonly #closed = new AbortController()
  #calibration: Calibration | undefined
  #rows: VectorRows
  #serial = 0
  #running: Promise<void> | undefined
  #failure: string | undefined
  #restsUntil = Number.NEGATIVE_INFINITY
  #queryFailures = 0
  #queriesRestUntil = Number.NEGATIVE_INFINITY

  constructor(embedder: Embedder, options: EmbeddedToolsOptions) {
    this.embedder = embedder
    this.#rows = new VectorRows(embedder.dimensions)
    this.#options = options
  }

  /** By document. The first answer of a service shows how long its vectors are. */
  get rows(): VectorRows {
    const { dimensions } = this.embedder
    if (this.#rows.dimensions !== dimensions) this.#rows = new VectorRows(dimensions)
    return this.#rows
  }

  /** The range of cosines; absent until the embedder has answered for the first time. */
  get calibration(): Calibration | undefined {
    return this.#calibration
  }

  /** Why the embedder failed last, until it works again. */
  get failure(): string | undefined {
    return this.#failure
  }

  /** Documents that wait for a vector. */
  get pendingCount(): number {
    return this.#pending.size
  }

  /** How many of the visible documents have no vector yet. */
  missingAmong(visible: Uint8Array | undefined): number {
    if (visible === undefined) return this.#pending.size
    let missing = 0
    for (const document of this.#pending.keys()) missing += visible[document] ?? 0
    return missing
  }

  /** Embeds a document that is new or has changed: at once where the embedder can, else soon. */
  put(document: number): void {
    this.enqueue(document)
    const { embedder } = this
    if (embedder.embedNow === undefined) return
    try {
      this.#calibration ??= calibrateNow(embedder, (text) => embedder.embedNow?.(text) as Float32Array)
      const texts = this.#options.textsOf(document)
      const vectors = texts.map((text) => checkedVector(embedder.embedNow?.(text) as Float32Array, embedder))
      this.#store(document, quantisedMean(vectors))
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Has a document embedded in the background. */
  enqueue(document: number): void {
    this.rows.delete(document)
    this.#pending.set(document, ++this.#serial)
  }

  delete(document: number): void {
    this.rows.delete(document)
    this.#pending.delete(document)
  }

  /** Writes the vectors of the documents below `size` as parts of a saved index, if all are there. */
  save(to: SavedWriter, size: number): void {
    if (this.pendingCount > 0 || this.#calibration === undefined) return
    const name = `vectors.${this.embedder.id}`
    to.json(name, { dimensions: this.embedder.dimensions, calibration: this.#calibration })
    this.rows.save(to, name, size)
  }

  /** Takes over saved vectors. Answers whether there are any of this embedder. */
  restore(from: SavedReader): boolean {
    const name = `vectors.${this.embedder.id}`
    if (!from.has(name)) return false
    const { dimensions, calibration } = from.json(name) as SavedVectors
    if (dimensions !== this.embedder.dimensions) return false
    this.#calibration = calibration
    this.rows.restore(from, name)
    return true
  }

  /** Goes on with what is pending, unless that is going on or the embedder has just failed. */
  wake(): void {
    if (this.#running !== undefined || this.#pending.size === 0 || this.#closed.signal.aborted) return
    if (this.#options.now() < this.#restsUntil) return
    this.#running = this.#work().finally(() => {
      this.#running = undefined
    })
  }

  /** Resolves when nothing goes on in the background. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  /** Stops the background work for good. */
  close(): void {
    this.#closed.abort()
  }

  /**
   * The vectors of query texts.
   * @throws ToolSearchError EMBEDDER_FAILED when the embedder fails, lies or takes longer than `budgetMs`, and at once
   * for a while after it did so several times in a row.
   */
  async embedQuery(texts: readonly string[], budgetMs: number, signal?: AbortSignal): Promise<readonly Int8Array[]> {
    const { embedder } = this
    this.#requireRested()
    try {
      const answer = await inTime(budgetMs, (stop) => embedder.embed(texts, { purpose: 'query', signal: stop }), signal)
      const vectors = checkedVectors(answer, texts.length, embedder).map(quantise)
      this.#queryFailures = 0
      return vectors
    } catch (error) {
      if (signal?.aborted !== true) this.#countQueryFailure()
      throw error
    }
  }

  /** The same at once; absent where the embedder has to be waited for. */
  embedQueryNow(texts: readonly string[]): readonly Int8Array[] | undefined {
    const { embedder } = this
    if (embedder.embedNow === undefined) return undefined
    return texts.map((text) => quantise(checkedVector(embedder.embedNow?.(text) as Float32Array, embedder)))
  }

  #requireRested(): void {
    const restMs = this.#queriesRestUntil - this.#options.now()
    if (!(restMs > 0)) return
    const reason = `it failed or was late ${QUERY_FAILURES_UNTIL_REST} times in a row; it is asked again in ${Math.ceil(restMs / 1_000)} s`
    throw new ToolSearchError('EMBEDDER_FAILED', { embedder: this.embedder.id, reason })
  }

  #countQueryFailure(): void {
    this.#queryFailures++
    if (this.#queryFailures < QUERY_FAILURES_UNTIL_REST) return
    this.#queryFailures = 0
    this.#queriesRestUntil = this.#options.now() + REST_MS
  }

  async #work(): Promise<void> {
    try {
      this.#calibration ??= await inTime(BATCH_LIMIT_MS, (stop) => calibrate(this.embedder, stop), this.#closed.signal)
      while (this.#pending.size > 0) {
        await this.#embedBatch()
        await othersTurn()
      }
      this.#failure = undefined
    } catch (error) {
      this.#fail(error)
    }
  }

  async #embedBatch(): Promise<void> {
    const batch = this.#nextBatch()
    const known = await this.#load(batch.map(({ hash }) => hash))
    const missing = batch.filter(({ hash }) => !known.has(hash))
    const made = await this.#embed(missing)
    if (made.size > 0) await this.#save(made)
    for (const { document, serial, hash } of batch) {
      const vector = known.get(hash) ?? made.get(hash)
      // The document may have changed or gone meanwhile.
      if (vector !== undefined && this.#pending.get(document) === serial) this.#store(document, vector)
    }
  }

  #nextBatch() {
    const batch: { document: number; serial: number; texts: readonly string[]; hash: string }[] = []
    for (const [document, serial] of this.#pending) {
      const texts = this.#options.textsOf(document)
      batch.push({ document, serial, texts, hash: textHash([this.embedder.id, ...texts]) })
      if (batch.length === BATCH) break
    }
    return batch
  }

  async #embed(
    wanted: readonly { readonly texts: readonly string[]; readonly hash: string }[],
  ): Promise<ReadonlyMap<string, Int8Array>> {
    const texts = wanted.flatMap((one) => one.texts)
    if (texts.length === 0) return new Map()
    const { embedder } = this
    const answer = await inTime(
      BATCH_LIMIT_MS,
      (signal) => embedder.embed(texts, { purpose: 'tool', signal }),
      this.#closed.signal,
    )
    const vectors = checkedVectors(answer, texts.length, embedder)
    const made = new Map<string, Int8Array>()
    let at = 0
    for (const { texts: some, hash } of wanted) {
      made.set(hash, quantisedMean(vectors.slice(at, at + some.length)))
      at += some.length
    }
    return made
  }

  /** A cache that fails costs time and nothing else. */
  async #load(hashes: readonly string[]): Promise<ReadonlyMap<string, Int8Array>> {
    try {
      const loaded = (await this.#options.cache?.load(this.embedder.id, hashes)) ?? new Map<string, Int8Array>()
      return new Map([...loaded].filter(([, vector]) => vector.length === this.embedder.dimensions))
    } catch {
      return new Map()
    }
  }

  async #save(vectors: ReadonlyMap<string, Int8Array>): Promise<void> {
    try {
      await this.#options.cache?.save(this.embedder.id, vectors)
    } catch {
      // See `#load`.
    }
  }

  #store(document: number, vector: Int8Array): void {
    this.rows.set(document, vector)
    this.#pending.delete(document)
  }

  #fail(error: unknown): void {
    if (this.#closed.signal.aborted) return
    this.#failure = failureReason(error)
    this.#restsUntil = this.#options.now() + REST_MS
  }
}

/** Yields between two batches, which an embedder that never waits would otherwise not do. */
function othersTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
