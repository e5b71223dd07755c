/** The tools that `tools/list` shows. */
export type ExposureMode = 'full' | 'deferred' | 'limited' | 'search-only' | 'meta-tools' | 'auto'

/** The names, inputs and result shapes of the tools of the gateway. */
export type DialectName = 'router' | 'mcproxy' | 'metamcp'

/** How search ranks tools; null turns search off. */
export type StrategySetting = 'lexical' | 'regex' | 'bm25' | 'embeddings' | 'hybrid' | 'cloud' | null

/** A sort criterion of the `limited` list. */
export type SelectionOrder = 'server_priority' | 'alphabetical'

/** In tokens; what a result has beyond that is kept and read on. */
export type ResultBudget = number | 'auto' | 'off'

/**
 * How tools are listed and searched. An absent field is inherited: the endpoint overrides the project, which overrides the
 * built-in default. The value `INHERIT` exists only in external formats.
 */
export interface DisclosureSettings {
  readonly exposure?: ExposureMode
  readonly dialect?: DialectName
  /** `optimization` of MCP Router; the search method of MetaMCP. */
  readonly strategy?: StrategySetting
  /** Flags listed tools as deferred (MetaMCP). */
  readonly deferLoading?: boolean
  /** `maxToolsLimit` of MCProxy; so are the next two. */
  readonly maxTools?: number
  readonly searchThreshold?: number
  readonly selectionOrder?: readonly SelectionOrder[]
  /** With `search-only`, lists `tool_execute`, too, for clients that refuse unlisted names. */
  readonly executeTool?: boolean
  /** Lists `tool_execute_read` beside `tool_execute`: it runs read-only tools alone, so that clients need not ask. */
  readonly executeVariants?: boolean
  /** With `meta-tools`, accepts calls of other tools by name. */
  readonly directCalls?: boolean
  /** Drops the server prefix from exposed names, unless names collide. */
  readonly dropPrefix?: boolean
  /** Searches learn from the calls that follow them. */
  readonly learning?: boolean
  /** With `auto`, lists all tools below this number of tokens. */
  readonly tokenBudget?: number
  /** The most tokens of a result; `auto` limits those of `tool_execute` alone. */
  readonly resultBudget?: ResultBudget
  /** What happens to hidden characters and terminal controls in results. */
  readonly hiddenCharacters?: 'leave' | 'mark' | 'remove'
  /** Puts a remark for the model before results that carry instructions. */
  readonly resultRemarks?: boolean
}

/** Settings with a value for every field. */
export type ResolvedDisclosure = Required<DisclosureSettings>
