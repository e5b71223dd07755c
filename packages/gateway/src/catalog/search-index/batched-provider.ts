import {
  type SearchAnswer,
  type SearchProvider,
  type SearchRequest,
  type SearchStrategy,
  type ToolChange,
  ToolSearchError,
} from '@tooldex/search'

/** Tools per batch: at most some 20 milliseconds of work. */
const BATCH_SIZE = 100

/** A provider that can answer as `bm25` as well, from the same index. */
interface WordsAndMeaning extends SearchProvider {
  readonly byWords?: SearchProvider
}

/** A provider that was opened, and whether it has the tools of the first change already. */
export interface OpenedProvider {
  readonly provider: SearchProvider
  readonly isFilled: boolean
}

/** Changes that a provider has taken over. */
interface IndexedChange {
  readonly kind: 'built' | 'loaded' | 'changed'
  /** How many tools were added, changed or removed. */
  readonly tools: number
  /** Until all were indexed, other work in between included. */
  readonly ms: number
}

/**
 * A provider that indexes tools in batches, so that thousands of new tools do not block calls. Small changes are applied at
 * once. Searches wait for the first batches only; later they answer from the tools indexed so far.
 */
export class BatchedProvider implements SearchProvider {
  readonly strategy: SearchStrategy
  /** Whether the provider is opened asynchronously, which may fail. */
  readonly isOpened: boolean
  readonly #batches: ToolChange[] = []
  readonly #opened: Promise<void>
  #inner: WordsAndMeaning | undefined
  #failure: ToolSearchError | undefined
  #firstIndexing: PromiseWithResolvers<void> | undefined
  #isFirst = true
  #isIndexing: boolean
  #isReady = false
  #isLoaded = false
  /** Batches of the first change. */
  #firstBatches = 0

  readonly #onIndexed: (indexed: IndexedChange) => void
  #since: { readonly at: number; tools: number } | undefined

  /**
   * @param made may be a promise; tools then wait for it
   * @param onIndexed called when all tools of the changes so far are indexed
   */
  constructor(
    strategy: SearchStrategy,
    made: SearchProvider | Promise<OpenedProvider>,
    onIndexed: (indexed: IndexedChange) => void = () => undefined,
  ) {
    this.strategy = strategy
    this.#onIndexed = onIndexed
    this.isOpened = made instanceof Promise
    this.#isIndexing = this.isOpened
    if (!(made instanceof Promise)) {
      this.#inner = made
      this.#opened = Promise.resolve()
      return
    }
    this.#firstIndexing = Promise.withResolvers()
    this.#opened = made.then(
      ({ provider, isFilled }) => {
        this.#inner = provider
        if (isFilled) this.#batches.splice(0, this.#firstBatches)
        this.#isLoaded = isFilled
        this.#indexNext()
      },
      (cause: unknown) => this.#giveUp(cause),
    )
  }

  get deterministic(): boolean {
    // That of bm25 is opened asynchronously for its dictionaries alone.
    return this.#inner?.deterministic ?? this.strategy === 'bm25'
  }

  /** Whether all tools of the first change are indexed. */
  get isReady(): boolean {
    return this.#isReady
  }

  /** A provider that ranks the same tools by words alone; absent where that needs a separate index. */
  get byWords(): SearchProvider | undefined {
    return this.#inner?.byWords
  }

  apply(change: ToolChange): void {
    if (this.#failure !== undefined) return
    this.#since ??= { at: performance.now(), tools: 0 }
    this.#since.tools += change.added.length + change.changed.length + change.removed.length
    this.#batches.push(...batchesOf(change))
    if (this.#isFirst) this.#firstBatches = this.#batches.length
    if (!this.#isIndexing) this.#indexNext()
    if (this.#isIndexing && this.#isFirst) this.#firstIndexing ??= Promise.withResolvers()
    this.#isFirst = false
  }

  /** Resolves once the provider is opened, whether it can be used or not. */
  get opened(): Promise<void> {
    return this.#opened
  }

  /** Resolves once all tools of the first change are indexed, or none ever will be. */
  get built(): Promise<void> {
    return this.#firstIndexing?.promise ?? Promise.resolve()
  }

  /** The provider itself, while it has all tools that it was told of. */
  get settled(): SearchProvider | undefined {
    return this.#isReady && !this.#isIndexing ? this.#inner : undefined
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    await this.#firstIndexing?.promise
    if (this.#inner === undefined) throw this.#failure ?? new ToolSearchError('SEARCH_UNAVAILABLE')
    return this.#inner.search(request)
  }

  #indexNext(): void {
    const batch = this.#batches.shift()
    if (batch !== undefined) this.#inner?.apply(batch)
    this.#isIndexing = this.#batches.length > 0
    if (this.#isIndexing) return void setImmediate(() => this.#indexNext())
    if (this.#since !== undefined) {
      const { at, tools } = this.#since
      const kind = this.#isReady ? 'changed' : this.#isLoaded ? 'loaded' : 'built'
      this.#onIndexed({ kind, tools, ms: performance.now() - at })
      this.#since = undefined
    }
    this.#isReady = true
    this.#firstIndexing?.resolve()
  }

  #giveUp(cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    this.#failure = new ToolSearchError('SEARCH_UNAVAILABLE', { reason }, { cause })
    this.#batches.length = 0
    this.#firstIndexing?.resolve()
  }
}

/** Splits a change into batches. Removals come first, so that a search never finds removed tools. */
function batchesOf({ added, changed, removed }: ToolChange): ToolChange[] {
  if (added.length + changed.length + removed.length <= BATCH_SIZE) return [{ added, changed, removed }]
  return [
    ...slicesOf(removed).map((slice) => ({ added: [], changed: [], removed: slice })),
    ...slicesOf(changed).map((slice) => ({ added: [], changed: slice, removed: [] })),
    ...slicesOf(added).map((slice) => ({ added: slice, changed: [], removed: [] })),
  ]
}

function slicesOf<T>(items: readonly T[]): T[][] {
  const slices: T[][] = []
  for (let at = 0; at < items.length; at += BATCH_SIZE) slices.push(items.slice(at, at + BATCH_SIZE))
  return slices
}
