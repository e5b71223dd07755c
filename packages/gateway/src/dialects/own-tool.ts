import { ALWAYS_LOAD_META_KEY, type ListedTool } from '../exposure/listed-tool.ts'

/** A tool of the gateway itself. */
export interface OwnTool extends ListedTool {
  readonly description: string
  readonly inputSchema: Readonly<Record<string, unknown>>
}

/** A client that defers tools by itself must not hide our search behind its own. */
export const OWN_META = { [ALWAYS_LOAD_META_KEY]: true } as const

/** What searching may do: nothing but look, among tools that are known. */
export const SEARCH_ANNOTATIONS = {
  title: 'Find tools',
  readOnlyHint: true,
  idempotentHint: true,
  openWorldHint: false,
} as const

/** The one who can change what a client cannot. */
export const SEARCH_IS_OFF =
  'Tool search is off for this project. Whoever administers the gateway can turn it on in the settings of the project, by choosing a search strategy.'
