import { type IndexedTool, type SearchProvider, type ToolChange, ToolSearchError } from '@tooldex/search'

/** A provider that was handed in, told of every tool and kept in step with the database. */
export class ResidentProvider {
  readonly provider: SearchProvider
  readonly #tools = new Map<string, IndexedTool>()

  constructor(provider: SearchProvider) {
    this.provider = provider
  }

  /** The ids of the tools that the provider knows. */
  ids(): Iterable<string> {
    return this.#tools.keys()
  }

  /** Tells the provider how the tools of these ids are now; one that is not in `tools` is gone. */
  refresh(ids: Iterable<string>, tools: ReadonlyMap<string, IndexedTool>): void {
    const change: { [List in keyof ToolChange]: IndexedTool[] } = { added: [], changed: [], removed: [] }
    for (const id of [...new Set(ids)].sort()) {
      const before = this.#tools.get(id)
      const now = tools.get(id)
      if (now !== undefined) (before === undefined ? change.added : change.changed).push(now)
      else if (before !== undefined) change.removed.push(before)
    }
    this.apply(change)
  }

  /**
   * Tells the provider of a change.
   * @returns undoes it
   * @throws ToolSearchError SEARCH_UNAVAILABLE when the provider fails; then nothing happened
   */
  apply(change: ToolChange): () => void {
    const { added, changed, removed } = change
    if (added.length + changed.length + removed.length === 0) return () => undefined
    const before = changed.flatMap(({ id }) => this.#tools.get(id) ?? [])
    this.#tell(change)
    for (const tool of [...added, ...changed]) this.#tools.set(tool.id, tool)
    for (const tool of removed) this.#tools.delete(tool.id)
    return () => void this.apply({ added: removed, changed: before, removed: added })
  }

  #tell(change: ToolChange): void {
    const { strategy } = this.provider
    try {
      this.provider.apply(change)
    } catch (cause) {
      const reason = `the provider ${strategy} did not take the change`
      throw new ToolSearchError('SEARCH_UNAVAILABLE', { strategy, reason }, { cause })
    }
  }
}
