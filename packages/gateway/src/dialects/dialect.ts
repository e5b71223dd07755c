import type { EligibleTools } from '../access/eligible-tools.ts'
import type { ExposedNames } from '../access/exposed-names.ts'
import type { DialectName } from '../model/settings.ts'
import type { SearchAsk, SearchOutcome } from '../search/search-outcome.ts'
import type { OwnTool } from './own-tools.ts'

/** The names, inputs and results of the gateway's own tools on an endpoint. Dialects only translate. */
export interface Dialect {
  readonly name: DialectName
  /** Between server and tool in exposed names. */
  readonly separator: '__' | '___'
  readonly searchToolName: string
  /** @param hidden the number of tools that are not listed; descriptions show it rounded, if at all */
  searchTool(hidden: number): OwnTool
  readonly executeTool: OwnTool
  /** Runs read-only tools alone; listed with `executeVariants`. */
  readonly executeReadTool: OwnTool
  /** Reads on in a result that was cut; listed where `tool_execute` is not. */
  readonly readResultTool: OwnTool
  /** Reads the arguments of the search tool. Returns a mistake for invalid input; never throws. */
  readSearch(input: unknown): Reading<SearchAsk>
  renderSearch(outcome: SearchOutcome, ask: SearchAsk, view: SearchView): ToolResult
}

/** The value, or the mistake in a sentence for the caller. */
export type Reading<Value> = { readonly value: Value } | { readonly mistake: string }

/** A `tools/call` result of the gateway itself. */
export type ToolResult = Readonly<Record<string, unknown>>

/** The tools as the caller of a search sees them. */
export interface SearchView {
  /** The searched tools. */
  readonly eligible: EligibleTools
  readonly names: ExposedNames
  /** Whether found tools can be called by their exposed names. */
  readonly callsByName: boolean
  /** Whether found tools join the caller's list (`limited`, in a session). */
  readonly listGrows: boolean
  /** Instructions of found servers that the caller has not had, by the server's name. */
  readonly instructions?: Readonly<Record<string, string>>
}
