import type { McpTool, SearchProvider } from '@tooldex/search'
import type { ServerState } from '../model/server.ts'
import type { ToolKey } from '../model/tool-key.ts'

/** A live tool of a server: as the server lists it (repaired where it was slightly invalid), or as it was approved. */
export interface CatalogTool {
  readonly key: ToolKey
  readonly serverId: string
  readonly serverName: string
  /** The server's own name for it. */
  readonly name: string
  /** The tool as the server lists it, unknown fields included. */
  readonly definition: McpTool
  /** Repairs of an invalid definition, in sentences; usually empty. */
  readonly repairs: readonly string[]
}

/** A server in the catalog: its lists and its state. */
export interface CatalogServer {
  readonly id: string
  readonly name: string
  readonly state: ServerState
  /** What it is for, as its administrator says. */
  readonly description?: string
  readonly instructions?: string
  /** By the server's own name. */
  readonly tools: ReadonlyMap<string, CatalogTool>
  /** By name: tools that wait for approval and are not in `tools`. Never their new text: the approved definition, or none. */
  readonly heldTools?: ReadonlyMap<string, CatalogTool>
  readonly prompts: readonly Readonly<Record<string, unknown>>[]
  readonly resources: readonly Readonly<Record<string, unknown>>[]
  readonly resourceTemplates: readonly Readonly<Record<string, unknown>>[]
  /** Whether the lists come from an earlier connection. */
  readonly isLastGood: boolean
  /** Present while the first list of its tools is expected: the time at which the wait began. */
  readonly awaitedSince?: number
  /** Present if it is up and its tools are unknown, because it could not list them: the reason. */
  readonly toolsUnknown?: string
  /** Why the last listing failed; the previous lists are kept. */
  readonly problem?: string
  /** Entries that were left out of the lists, with reasons, in sentences. */
  readonly remarks?: readonly string[]
}

/** A frozen view of all servers. A reader uses one snapshot for a whole answer. */
export interface CatalogSnapshot {
  /** Changes with every change of a list or a state. */
  readonly version: number
  /** In configured order. */
  readonly servers: readonly CatalogServer[]
  readonly tools: ReadonlyMap<ToolKey, CatalogTool>
}

/** A change between two snapshots. */
export interface CatalogChange {
  readonly serverId: string
  readonly lists: readonly ('tools' | 'prompts' | 'resources')[]
  readonly state: boolean
}

/** Limits a wait for servers. */
export interface MeetOptions {
  readonly serverIds?: ReadonlySet<string>
  readonly signal?: AbortSignal
}

/** The live tools of all servers, merged, searchable. */
export interface Catalog {
  snapshot(): CatalogSnapshot
  /** The index of all tools by key; searches are narrowed with `within`. */
  provider(strategy: string): SearchProvider
  onChange(listener: (change: CatalogChange) => void): () => void
  /** Resolves when every eager server has answered or failed, or after the timeout. */
  ready(timeoutMs: number): Promise<void>
  /** Resolves when no server is awaited any more, or none of the given ones; after the timeout, or when the signal fires. */
  met(timeoutMs: number, only?: MeetOptions): Promise<void>
}
