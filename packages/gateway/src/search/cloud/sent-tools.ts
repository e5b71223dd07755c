import { SEARCH_API_LIMITS, type SearchApiTool } from '@tooldex/contract/search-api'
import { type IndexedTool, type ToolChange, type ToolFilter, ToolScope } from '@tooldex/search'
import { LRUCache } from 'lru-cache'
import { keyOfSearched } from '../../catalog/search-index/indexed-tools.ts'

/** No model reads more of a description. */
const LONGEST_DESCRIPTION = 8_000
const MOST_KEPT_CHARACTERS = 32 * 1024 * 1024

/** A list of tools as it is sent. */
export interface SentTools {
  readonly count: number
  /** The list, in id order. */
  readonly json: string
  /** The tool's id in the index, by the key that is sent. */
  readonly idByKey: ReadonlyMap<string, string>
}

/** The tools that may be sent, with key, name, server and description only. Caches the lists of recent scopes. */
export class SendableTools {
  readonly #tools = new Map<string, IndexedTool>()
  readonly #kept = new LRUCache<string, SentTools>({
    maxSize: MOST_KEPT_CHARACTERS,
    sizeCalculation: ({ json }) => json.length + 1,
  })

  apply({ added, changed, removed }: ToolChange): void {
    for (const { id } of removed) this.#tools.delete(id)
    for (const tool of [...changed, ...added]) this.#tools.set(tool.id, tool)
    this.#kept.clear()
  }

  /** The tools of a scope. */
  of(scope: ToolScope): IndexedTool[] {
    return this.#passing(scope)
  }

  /** The tools that pass the filter; all without one. */
  within(filter: ToolFilter | undefined): SentTools {
    if (!(filter instanceof ToolScope)) return listOf(this.#passing(filter))
    const known = this.#kept.get(filter.fingerprint)
    if (known !== undefined) return known
    const list = listOf(this.#passing(filter))
    this.#kept.set(filter.fingerprint, list)
    return list
  }

  #passing(filter: ToolFilter | undefined): IndexedTool[] {
    if (filter === undefined) return [...this.#tools.values()]
    if (typeof filter === 'function') return [...this.#tools.values()].filter((tool) => filter(tool))
    return [...idsOf(filter)].flatMap((id) => this.#tools.get(id) ?? [])
  }
}

function idsOf(filter: ToolScope | ReadonlySet<string>): Iterable<string> {
  return filter instanceof ToolScope ? filter.ids() : filter
}

function listOf(tools: readonly IndexedTool[]): SentTools {
  const idByKey = new Map<string, string>()
  const sent: SearchApiTool[] = []
  for (const tool of tools.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const toolKey = sentKey(tool)
    if (toolKey === undefined || idByKey.has(toolKey)) continue
    idByKey.set(toolKey, tool.id)
    sent.push(sentTool(toolKey, tool))
  }
  return { count: sent.length, json: JSON.stringify(sent), idByKey }
}

/** The key that a tool is sent with; undefined for a tool that the service would refuse, and the whole request with it. */
export function sentKey({ id, name }: IndexedTool): string | undefined {
  const toolKey = keyOfSearched(id)
  return toolKey === '' || toolKey.length > SEARCH_API_LIMITS.keyLength || name === '' ? undefined : toolKey
}

/** Field by field, so that no other field leaves the gateway. */
export function sentTool(toolKey: string, { name, namespace = '', description }: IndexedTool): SearchApiTool {
  return {
    toolKey,
    toolName: name.slice(0, SEARCH_API_LIMITS.nameLength),
    serverName: namespace.slice(0, SEARCH_API_LIMITS.nameLength),
    ...(description !== undefined && { description: description.slice(0, LONGEST_DESCRIPTION) }),
  }
}
