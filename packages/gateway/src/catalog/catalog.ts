import type { McpTool, SearchProvider } from '@tooldex/search'
import type { ServerState } from '../model/server.ts'
import type { ToolKey } from '../model/tool-key.ts'

/** A live tool of a server, as the server lists it (repaired where it was slightly invalid). */
export interface CatalogTool {
  readonly key: ToolKey
  readonly serverId: string
  readonly serverName: string
  /** The server's own name for it. */
  readonly name: string
  /** Everything the server said of the tool, unknown fields included. */
  readonly definition: McpTool
  /** What was mended so that the tool could be kept, in sentences; empty for nearly all. */
  readonly repairs: readonly string[]
}

/** A server as the catalog knows it: what it offers and whether that can be used now. */
export interface CatalogServer {
  readonly id: string
  readonly name: string
  readonly state: ServerState
  readonly instructions?: string
  /** By the server's own name. */
  readonly tools: ReadonlyMap<string, CatalogTool>
  readonly prompts: readonly Readonly<Record<string, unknown>>[]
  readonly resources: readonly Readonly<Record<string, unknown>>[]
  readonly resourceTemplates: readonly Readonly<Record<string, unknown>>[]
  /** The lists are those of an earlier connection: the server is idle, starting or failed now. */
  readonly isLastGood: boolean
  /** Why the lists could not be read when last asked for; the ones from before are kept. */
  readonly problem?: string
  /** What was left out of the lists and why, in sentences. */
  readonly remarks?: readonly string[]
}

/** A frozen picture of all servers. A reader keeps it for as long as its answer takes. */
export interface CatalogSnapshot {
  /** Changes with anything that an answer could depend on: lists and states. */
  readonly version: number
  /** In configured order. */
  readonly servers: readonly CatalogServer[]
  readonly tools: ReadonlyMap<ToolKey, CatalogTool>
}

/** What changed between two snapshots. */
export interface CatalogChange {
  readonly serverId: string
  readonly lists: readonly ('tools' | 'prompts' | 'resources')[]
  readonly state: boolean
}

/** The live tools of all servers, merged, searchable. */
export interface Catalog {
  snapshot(): CatalogSnapshot
  /** The index of all tools by key; searches are narrowed with `within`. */
  provider(strategy: string): SearchProvider
  onChange(listener: (change: CatalogChange) => void): () => void
  /** Resolves when every eager server has answered or failed, or the time is over. */
  ready(timeoutMs: number): Promise<void>
  /** Resolves when something is known of every server that can be reached, or the time is over. */
  met(timeoutMs: number): Promise<void>
}
