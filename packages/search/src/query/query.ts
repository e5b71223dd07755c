import type { SearchField } from '../tool/tool.ts'

/** A query as a tree. Texts are as typed; they are split into terms where tools are, in `text/`. */
export type QueryNode = QueryLeaf | QueryGroup | QueryExclusion

/** Text to look for, in one field or in all. */
export interface QueryLeaf {
  /** `words`: any of them will do. `phrase`: all, side by side. `prefix`: any word that begins so. */
  readonly kind: 'words' | 'phrase' | 'prefix'
  readonly text: string
  readonly field?: SearchField
}

/** Two or more parts of which all (`and`) or any (`or`) must match. Never directly holds a group of its own kind. */
export interface QueryGroup {
  readonly kind: 'and' | 'or'
  readonly children: readonly QueryNode[]
}

/** A part that must not match. */
export interface QueryExclusion {
  readonly kind: 'not'
  readonly child: QueryNode
}

/** A parsed query. */
export interface ParsedQuery {
  /** Absent only for a blank query. */
  readonly root: QueryNode | null
  /** Whether the query language was used. If not, `root` is one `words` node with the text as it came. */
  readonly structured: boolean
}

const FIELD_BY_NAME: ReadonlyMap<string, SearchField> = new Map([
  ['name', 'name'],
  ['title', 'title'],
  ['server', 'server'],
  ['namespace', 'server'],
  ['description', 'description'],
  ['desc', 'description'],
  ['parameters', 'parameters'],
  ['parameter', 'parameters'],
  ['params', 'parameters'],
  ['param', 'parameters'],
  ['tags', 'tags'],
  ['tag', 'tags'],
])

/** The field that people call `name`, in any case; absent for what is no field. */
export function fieldNamed(name: string): SearchField | undefined {
  return FIELD_BY_NAME.get(name.toLowerCase())
}
