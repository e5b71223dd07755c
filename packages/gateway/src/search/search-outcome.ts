import type { Verdict } from '@tooldex/search'
import type { CatalogTool } from '../catalog/catalog.ts'

/** A search as a dialect read it from a call's arguments. */
export interface SearchAsk {
  /** Several are several intents. */
  readonly queries: readonly string[]
  /** The caller's current task, for strategies that can use it. */
  readonly context?: string
  readonly maxResults: number
  /** Whether the caller asked for that number. If not, an answer may show fewer hits and continue with a cursor. */
  readonly isLimitGiven?: boolean
  /** Whether hits have explanations. */
  readonly explain: boolean
  /** The answer to blank queries. */
  readonly whenBlank: 'nothing' | 'first-tools'
  /** How much of a hit is returned. */
  readonly detail: SearchDetail
  /** Searches these servers only, by id or name. */
  readonly servers?: readonly string[]
  /** Searches tools only that are annotated as read-only. */
  readonly readOnly?: boolean
  /** Continues an earlier answer to the same question. */
  readonly cursor?: string
}

/** `minimal`: names. `summary`: a sentence and a signature. `full`: everything. */
export type SearchDetail = 'minimal' | 'summary' | 'full'

/** A tool that a search found. */
export interface FoundTool {
  readonly tool: CatalogTool
  /** Absolute, 0 to 1; 0 for a tool that was listed rather than ranked. */
  readonly relevance: number
  /** One line; absent unless asked for. */
  readonly explanation?: string
}

/** The outcome of a search. No results and `off` are answers, not errors. */
export type SearchOutcome = SearchIsOff | SearchAnswered

/** The project has no strategy. */
export interface SearchIsOff {
  readonly state: 'off'
  readonly notices: readonly SearchNotice[]
}

/** Why an answer is empty or incomplete, in one short sentence with what can be done. */
export interface SearchNotice {
  readonly code:
    | 'SEARCH_OFF'
    | 'NO_PROJECT'
    | 'NO_SERVERS'
    | 'NO_TOOLS'
    | 'NO_SUCH_SERVER'
    | 'NO_READ_ONLY_TOOLS'
    | 'LAST_PAGE'
    | 'CUT'
    | 'BLANK_QUERY'
    | 'NOTHING_FITS'
    | 'BELOW_THRESHOLD'
    | 'DEGRADED'
    | 'SERVERS_STARTING'
    | 'SERVERS_NEED_LOGIN'
    | 'SERVERS_FAILED'
    | 'SERVERS_HELD'
    | 'TOOLS_HELD'
    | 'SERVERS_STOPPED'
    | 'SERVERS_UNAVAILABLE'
  readonly text: string
}

/** Best first. */
export interface SearchAnswered {
  readonly state: 'answered'
  readonly found: readonly FoundTool[]
  /** The strategy that ranked; another than the configured one if a fallback answered. */
  readonly answeredBy: string
  /** Whether a tool serves the request; absent where nothing was asked. */
  readonly verdict?: Verdict
  /** The best hit, also where the threshold dropped it. */
  readonly nearest?: CatalogTool
  readonly degraded?: { readonly strategy: string; readonly reason: string }
  /** The cursor of the answer that begins after so many of these hits; `undefined` if there are no others. */
  readonly cursorAfter?: (shown: number) => string | undefined
  /** Never empty if nothing was found. */
  readonly notices: readonly SearchNotice[]
}
