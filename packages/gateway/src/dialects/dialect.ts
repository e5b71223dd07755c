import type { Project } from '../model/project.ts'
import type { ExposedNames } from '../access/exposed-names.ts'
import type { DialectName } from '../model/settings.ts'
import type { SearchAsk, SearchOutcome } from '../search/search-outcome.ts'
import type { OwnTool } from './own-tools.ts'

/** The names, inputs and result shapes of our own tools on an endpoint. Dialects translate; they decide nothing. */
export interface Dialect {
  readonly name: DialectName
  /** Between server and tool in exposed names. */
  readonly separator: '__' | '___'
  readonly searchToolName: string
  /** @param hidden how many tools a search could find beyond those listed; told only roughly, if at all */
  searchTool(hidden: number): OwnTool
  readonly executeTool: OwnTool
  /** Understands the arguments of the search tool. Bad input is a mistake to answer, never a throw. */
  readSearch(input: unknown): Reading<SearchAsk>
  renderSearch(outcome: SearchOutcome, ask: SearchAsk, view: SearchView): ToolResult
}

/** What was understood, or what is wrong in a sentence for the caller. */
export type Reading<Value> = { readonly value: Value } | { readonly mistake: string }

/** A `tools/call` result of our own making. */
export type ToolResult = Readonly<Record<string, unknown>>

/** How the caller of a search sees tools. */
export interface SearchView {
  readonly project: Project
  readonly names: ExposedNames
  /** Whether what was found can be called by its exposed name. */
  readonly callsByName: boolean
  /** Whether what was found joins the caller's list (`limited`, in a session). */
  readonly listGrows: boolean
}
