import {
  type SearchAnswer,
  type SearchProvider,
  type SearchRequest,
  type SearchStrategy,
  type ToolChange,
  ToolSearchError,
} from '@tooldex/search'

/** Tools that are taken over in one go: some twenty milliseconds of work at most. */
const MOST_AT_ONCE = 100

/** A provider that can answer as `bm25` as well, from the same index. */
interface Whole extends SearchProvider {
  readonly byWords?: SearchProvider
}

/**
 * A provider that is fed in portions, so that thousands of new tools do not hold up calls. Small changes are taken over
 * at once. Searches wait for the first feeding only; later they answer from what has been taken over.
 */
export class BatchedProvider implements SearchProvider {
  readonly strategy: SearchStrategy
  /** Whether it had to be opened first, and may be of no use. */
  readonly isOpened: boolean
  readonly #portions: ToolChange[] = []
  #inner: Whole | undefined
  #failure: ToolSearchError | undefined
  #firstFeeding: PromiseWithResolvers<void> | undefined
  #isFirst = true
  #isFeeding: boolean
  #isFed = false

  /** @param made may still be on its way; tools then wait for it. */
  constructor(strategy: SearchStrategy, made: SearchProvider | Promise<SearchProvider>) {
    this.strategy = strategy
    this.isOpened = made instanceof Promise
    this.#isFeeding = this.isOpened
    if (!(made instanceof Promise)) {
      this.#inner = made
      return
    }
    this.#firstFeeding = Promise.withResolvers()
    made.then(
      (inner) => {
        this.#inner = inner
        this.#feed()
      },
      (cause: unknown) => this.#giveUp(cause),
    )
  }

  get deterministic(): boolean {
    return this.#inner?.deterministic ?? false
  }

  /** Whether everything of the first feeding has been taken over. */
  get isFed(): boolean {
    return this.#isFed
  }

  /** The same tools ranked by words alone; absent where that would need an index of its own. */
  get byWords(): SearchProvider | undefined {
    return this.#inner?.byWords
  }

  apply(change: ToolChange): void {
    if (this.#failure !== undefined) return
    this.#portions.push(...portionsOf(change))
    if (!this.#isFeeding) this.#feed()
    if (this.#isFeeding && this.#isFirst) this.#firstFeeding ??= Promise.withResolvers()
    this.#isFirst = false
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    await this.#firstFeeding?.promise
    if (this.#inner === undefined) throw this.#failure ?? new ToolSearchError('SEARCH_UNAVAILABLE')
    return this.#inner.search(request)
  }

  #feed(): void {
    const portion = this.#portions.shift()
    if (portion !== undefined) this.#inner?.apply(portion)
    this.#isFeeding = this.#portions.length > 0
    if (this.#isFeeding) return void setImmediate(() => this.#feed())
    this.#isFed = true
    this.#firstFeeding?.resolve()
  }

  #giveUp(cause: unknown): void {
    const reason = cause instanceof Error ? cause.message : String(cause)
    this.#failure = new ToolSearchError('SEARCH_UNAVAILABLE', { reason }, { cause })
    this.#portions.length = 0
    this.#firstFeeding?.resolve()
  }
}

/** Cuts a change up; what is removed goes first, so that a search never finds more than there is. */
function portionsOf({ added, changed, removed }: ToolChange): ToolChange[] {
  if (added.length + changed.length + removed.length <= MOST_AT_ONCE) return [{ added, changed, removed }]
  return [
    ...slicesOf(removed).map((slice) => ({ added: [], changed: [], removed: slice })),
    ...slicesOf(changed).map((slice) => ({ added: [], changed: slice, removed: [] })),
    ...slicesOf(added).map((slice) => ({ added: slice, changed: [], removed: [] })),
  ]
}

function slicesOf<T>(items: readonly T[]): T[][] {
  const slices: T[][] = []
  for (let at = 0; at < items.length; at += MOST_AT_ONCE) slices.push(items.slice(at, at + MOST_AT_ONCE))
  return slices
}
