import type { Verdict } from '../providers/verdict.ts'
import type { Explanation, SearchAnswer, SearchRequest } from '../providers/search-provider.ts'
import type { ToolSearchError } from '../errors.ts'
import type { LearnedUse, ToolUse, UseSelector } from '../learning/learned-uses.ts'
import type { ToolFilter } from '../tool/tool-filter.ts'
import type { IndexedTool, McpTool, Tool } from '../tool/tool.ts'
import type { ToolBackend } from '../tool/tool-backend.ts'

/**
 * A searchable, versioned set of tools. Everything is asynchronous so that a database or a remote store can be one,
 * too. What goes wrong is a `ToolSearchError`; match on its code.
 *
 * Ids are in code-unit order wherever they are listed. Every operation that changes something is atomic: it happens as
 * a whole or, when it rejects, not at all.
 */
export interface ToolIndex {
  /** Grows with every change, and only then. */
  readonly version: number

  /**
   * Adds a tool, or another backend to a tool that is there. Registering the same again changes nothing. Tags, the
   * namespace's description and fields unknown to MCP are taken from the latest registration that gives them.
   * @throws ToolSearchError INVALID_TOOL (also when the tool is there with other MCP fields), INVALID_BACKEND
   */
  registerTool(tool: Tool, backend: ToolBackend): Promise<void>

  /** As `registerTool` for many: all or none, one change. */
  registerTools(registrations: readonly ToolRegistration[]): Promise<void>

  /**
   * Adds the tools that an MCP server lists, under a namespace: all or none, one change. A tool listed twice counts
   * once if both are the same, otherwise it is an INVALID_TOOL. A server whose list may change is kept with `sync`.
   */
  registerToolsFromMCP(namespace: string, tools: readonly McpTool[], options?: ServerOptions): Promise<void>

  /**
   * Makes the index hold what a server lists now: adds, replaces and removes. Only tools of this namespace with this
   * backend are touched; one that another backend serves as well loses just this backend, and its definition can only
   * change when the other backend is gone (INVALID_TOOL). Duplicates are treated as in `registerToolsFromMCP`.
   * @returns what changed; when all three lists are empty, nothing happened: no new version, no event
   */
  sync(namespace: string, tools: readonly McpTool[], options?: ServerOptions): Promise<ToolDiff>

  /**
   * Takes a backend from a tool. With its last backend the tool goes, with its last tool the namespace.
   * @throws ToolSearchError NOT_FOUND when the tool or the backend is not there
   */
  unregisterBackend(toolId: string, backend: ToolBackend): Promise<void>

  /**
   * The whole definition, and the backend that the `BackendSelector` chooses.
   * @throws ToolSearchError NOT_FOUND
   */
  getTool(id: string): Promise<RegisteredTool>

  /**
   * All backends of a tool, in order of registration.
   * @throws ToolSearchError NOT_FOUND
   */
  getAllBackends(id: string): Promise<readonly ToolBackend[]>

  /**
   * The best tools for a query, best first, ties by id, as summaries without schemas. Several queries are several
   * intents. A query without a word lists the first tools by id, without asking the provider: relevance 0, answered by
   * `none`, and `minRelevance` does not apply.
   * @throws ToolSearchError INVALID_ARGUMENTS, SEARCH_UNAVAILABLE
   */
  search(query: string | readonly string[], options?: SearchOptions): Promise<SearchResults>

  /**
   * As `search`, page by page through the best 1,000 hits; for a query without a word, through all tools.
   * @throws ToolSearchError INVALID_CURSOR, with `details.reason` malformed, foreign or stale
   * @throws ToolSearchError NON_DETERMINISTIC_SEARCHER when the provider cannot be paged
   */
  searchPage(query: string | readonly string[], options?: SearchPageOptions): Promise<SearchPage>

  /** The namespaces that have a tool (inside `within`), sorted. */
  listNamespaces(options?: NamespaceOptions): Promise<readonly string[]>

  /**
   * As `listNamespaces`, page by page.
   * @throws ToolSearchError INVALID_CURSOR
   */
  listNamespacesPage(options?: NamespacePageOptions): Promise<NamespacePage>

  /**
   * Calls `listener` after every change, in order. What a listener throws is ignored.
   * @returns stops it; calling that twice is fine
   */
  onChange(listener: (event: ToolIndexChange) => void): () => void
}

/** An index in memory, which can be saved. */
export interface InMemoryToolIndex extends ToolIndex {
  /**
   * Everything in it as bytes for `loadIndex`: tools, backends, and what the provider derived from them, vectors
   * included. They are meant for the same version of this library on any machine with the same byte order.
   */
  save(): Promise<Uint8Array>

  /**
   * Learns that a tool was used after a query: like queries will rank it higher, never above an exact name. Without a
   * `weight`, it depends on where a search without learning places the tool; there is little to learn from a first hit.
   * Uses of a tool that is not there (any longer) are kept and have no effect.
   * @throws ToolSearchError INVALID_ARGUMENTS
   */
  learn(use: ToolUse): Promise<void>

  /** Forgets the uses that fit every given field, all without one; answers how many. */
  forget(selector?: UseSelector): Promise<number>

  /** Everything that was learnt, the latest last; `learn` takes each of them over in another index. */
  learned(): readonly LearnedUse[]
}

/** A tool and where it can be called. */
export interface ToolRegistration {
  readonly tool: Tool
  readonly backend: ToolBackend
}

/** Facts about a server beside its list of tools. */
export interface ServerOptions {
  /** The server's own description: searched as part of its tools. */
  readonly description?: string
  /** For every tool of the list, after the tool's own. */
  readonly tags?: readonly string[]
  /** Default: `{ kind: 'mcp', serverName: namespace }`. */
  readonly backend?: ToolBackend
  /**
   * Makes the registration lenient: a tool that is not valid, or that is listed twice with different definitions, is
   * left out and reported here (of two, the first one counts). Without it one such tool refuses the whole list.
   */
  readonly onRefused?: (refused: RefusedTool) => void
}

/** A tool that a lenient registration left out. */
export interface RefusedTool {
  /** Where it stands in the list, from 0. */
  readonly position: number
  /** Its error, whose `details` name the tool, the field and the reason. */
  readonly error: ToolSearchError
}

/** A change, as ids in order. `changed` names tools with another definition, other tags or other backends. */
export interface ToolDiff {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

/** A change of the index and the version that it made. */
export interface ToolIndexChange extends ToolDiff {
  readonly version: number
}

/** A tool as it was registered, with one of its backends. */
export interface RegisteredTool {
  readonly tool: IndexedTool
  readonly backend: ToolBackend
}

/** The summary of a tool in results: enough to choose, never a schema. */
export interface ToolSummary {
  readonly id: string
  readonly name: string
  readonly namespace?: string
  /** The first sentence of the description, at most 160 characters. */
  readonly shortDescription?: string
  readonly tags?: readonly string[]
}

/** A tool that a search found. */
export interface ToolMatch extends ToolSummary {
  /** Absolute, 0 to 1. */
  readonly relevance: number
  /** The provider's raw number; comparable within one answer only. */
  readonly score: number
  /** Present with `explain`. */
  readonly explanation?: Explanation
}

/** How to search. */
export interface SearchOptions {
  /** Default 10; floored, clamped to 1…100. */
  readonly maxResults?: number
  /** Only these tools exist for this search, statistics included. */
  readonly within?: ToolFilter
  /** Matches say which words matched where. */
  readonly explain?: boolean
  /** The task of the caller, for providers that can use it. */
  readonly context?: string
  /** Matches with less relevance are left out. Default 0. */
  readonly minRelevance?: number
  readonly signal?: NonNullable<SearchRequest['signal']>
}

/** The results of a search, and the strategy that ranked them. */
export interface SearchResults extends Omit<SearchAnswer, 'hits'> {
  readonly results: readonly ToolMatch[]
  /** Whether a tool serves the query, by the probability of the best hit. Absent where nothing was asked. */
  readonly verdict?: Verdict
}

/** Which page. */
export interface PageOptions {
  /** Default 10, or that of the cursor; floored, clamped to 1…100. */
  readonly pageSize?: number
  /** `nextCursor` of the page before; all other arguments must be the same. Absent: the first page. */
  readonly cursor?: string
}

/** How to search page by page. */
export interface SearchPageOptions extends Omit<SearchOptions, 'maxResults'>, PageOptions {}

/** One page of what a search found. */
export interface SearchPage extends SearchResults {
  /** Absent on the last page. */
  readonly nextCursor?: string
}

/** Which namespaces to list. */
export interface NamespaceOptions {
  /** Only namespaces with one of these tools. */
  readonly within?: ToolFilter
}

/** Which page of the namespaces. */
export interface NamespacePageOptions extends NamespaceOptions, PageOptions {}

/** One page of the namespaces. */
export interface NamespacePage {
  readonly namespaces: readonly string[]
  /** Absent on the last page. */
  readonly nextCursor?: string
}
