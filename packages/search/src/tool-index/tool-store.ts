import { IdOrder, inIdOrder } from './id-order.ts'
import { type IndexEntry, REMOVED } from './index-draft.ts'
import type { ToolChange } from '../providers/search-provider.ts'
import { type ToolFilter, allows } from '../tool/tool-filter.ts'
import type { IndexedTool } from '../tool/tool.ts'

/** An entry that tells where it belongs without reading its definition. */
export interface LoadableEntry extends IndexEntry {
  readonly id: string
  readonly namespace: string | undefined
}

/** The tools of an index in memory, by id and by namespace. */
export class ToolStore {
  readonly #entries = new Map<string, IndexEntry>()
  readonly #idsByNamespace = new Map<string, Set<string>>()
  readonly #order = new IdOrder()

  get entries(): ReadonlyMap<string, IndexEntry> {
    return this.#entries
  }

  /** Takes over what was drafted. The change tells which of it is new or gone. */
  write(staged: ReadonlyMap<string, IndexEntry | typeof REMOVED>, { added, removed }: ToolChange): void {
    for (const [id, entry] of staged) {
      if (entry === REMOVED) this.#entries.delete(id)
      else this.#entries.set(id, entry)
    }
    for (const tool of added) this.#remember(tool)
    for (const tool of removed) this.#forget(tool)
  }

  /** Takes over the entries of a saved index; the store must be empty. */
  restore(entries: readonly LoadableEntry[]): void {
    for (const entry of entries) {
      this.#entries.set(entry.id, entry)
      this.#remember(entry)
    }
  }

  /** All tools, in no particular order. */
  *tools(): Iterable<IndexedTool> {
    for (const entry of this.#entries.values()) yield entry.tool
  }

  /** Up to `count` tools in id order that the filter lets through, after the first `offset` of them. */
  slice(within: ToolFilter | undefined, offset: number, count: number): readonly IndexedTool[] {
    const found: IndexedTool[] = []
    let skipped = 0
    for (const id of this.#order.sorted()) {
      if (found.length === count) break
      const tool = this.#entries.get(id)?.tool
      if (tool === undefined || !allows(within, tool)) continue
      if (skipped < offset) skipped++
      else found.push(tool)
    }
    return found
  }

  /** The ids of a namespace, in no particular order. */
  idsOf(namespace: string): Iterable<string> {
    return this.#idsByNamespace.get(namespace) ?? []
  }

  /** The namespaces that have a tool which the filter lets through, sorted. */
  namespaces(within: ToolFilter | undefined): readonly string[] {
    const found: string[] = []
    for (const [namespace, ids] of this.#idsByNamespace) {
      if (this.#hasAllowed(ids, within)) found.push(namespace)
    }
    return inIdOrder(found)
  }

  #hasAllowed(ids: ReadonlySet<string>, within: ToolFilter | undefined): boolean {
    if (within === undefined) return true
    for (const id of ids) {
      const tool = this.#entries.get(id)?.tool
      if (tool !== undefined && allows(within, tool)) return true
    }
    return false
  }

  #remember({ id, namespace }: { readonly id: string; readonly namespace?: string | undefined }): void {
    this.#order.add(id)
    if (namespace === undefined) return
    const ids = this.#idsByNamespace.get(namespace)
    if (ids === undefined) this.#idsByNamespace.set(namespace, new Set([id]))
    else ids.add(id)
  }

  #forget({ id, namespace }: IndexedTool): void {
    this.#order.remove(id)
    if (namespace === undefined) return
    const ids = this.#idsByNamespace.get(namespace)
    ids?.delete(id)
    if (ids?.size === 0) this.#idsByNamespace.delete(namespace)
  }
}
