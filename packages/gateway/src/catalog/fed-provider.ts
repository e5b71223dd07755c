import type { SearchAnswer, SearchProvider, SearchRequest, SearchStrategy, ToolChange } from '@tooldex/search'

/** Tools that are taken over in one go: some ten milliseconds of work at most. */
const MOST_AT_ONCE = 250

/**
 * A provider that is fed in portions, so that thousands of new tools do not hold up calls. Small changes are taken over
 * at once. Searches wait for the first feeding only; later they answer from what has been taken over.
 */
export class FedProvider implements SearchProvider {
  readonly strategy: SearchStrategy
  readonly deterministic: boolean
  readonly #inner: SearchProvider
  readonly #portions: ToolChange[] = []
  #firstFeeding: PromiseWithResolvers<void> | undefined
  #isFirst = true
  #isFeeding = false

  constructor(inner: SearchProvider) {
    this.#inner = inner
    this.strategy = inner.strategy
    this.deterministic = inner.deterministic
  }

  apply(change: ToolChange): void {
    this.#portions.push(...portionsOf(change))
    if (this.#isFeeding) return
    this.#feed()
    if (this.#isFeeding && this.#isFirst) this.#firstFeeding = Promise.withResolvers()
    this.#isFirst = false
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    await this.#firstFeeding?.promise
    return this.#inner.search(request)
  }

  #feed(): void {
    const portion = this.#portions.shift()
    if (portion !== undefined) this.#inner.apply(portion)
    this.#isFeeding = this.#portions.length > 0
    if (this.#isFeeding) setImmediate(() => this.#feed())
    else this.#firstFeeding?.resolve()
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
