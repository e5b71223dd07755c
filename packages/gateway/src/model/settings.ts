/** Which tools `tools/list` shows. */
export type ExposureMode = 'full' | 'deferred' | 'limited' | 'search-only' | 'meta-tools' | 'auto'

/** The names, inputs and result shapes of our own tools. */
export type DialectName = 'router' | 'mcproxy' | 'metamcp'

/** How search ranks; null = off. */
export type StrategySetting = 'lexical' | 'regex' | 'bm25' | 'embeddings' | 'hybrid' | 'cloud' | null

/** Criteria of the `limited` list, first to last. */
export type SelectionOrder = 'server_priority' | 'alphabetical'

/**
 * How tools are disclosed. Every field may be absent: absent means inherit, nearest wins (endpoint, project, built-in
 * default). `INHERIT` exists only at the border.
 */
export interface DisclosureSettings {
  readonly exposure?: ExposureMode
  readonly dialect?: DialectName
  /** MCP Router's `optimization`; MetaMCP's search method. */
  readonly strategy?: StrategySetting
  /** MetaMCP: flag listed tools as deferred. */
  readonly deferLoading?: boolean
  /** MCProxy: `maxToolsLimit`, `searchThreshold`, `toolSelectionOrder`. */
  readonly maxTools?: number
  readonly searchThreshold?: number
  readonly selectionOrder?: readonly SelectionOrder[]
  /** `search-only`: also list `tool_execute` for clients that refuse unlisted names. */
  readonly executeTool?: boolean
  /** `meta-tools`: accept `tools/call` of other names than the two. */
  readonly directCalls?: boolean
  /** Exposed names without the server's prefix, while nothing collides. */
  readonly dropPrefix?: boolean
  /** `auto`: list whole below this many tokens. */
  readonly tokenBudget?: number
}

/** All settings decided. */
export type ResolvedDisclosure = Required<DisclosureSettings>
