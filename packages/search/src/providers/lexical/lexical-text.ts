import type { SearchField, IndexedTool } from '../../tool/tool.ts'
import { normaliseText } from '../../text/normalise.ts'
import { splitIdentifier } from '../../text/split-identifier.ts'
import { MOST_FIELD_CHARACTERS } from '../scan-provider.ts'

/** A part of a tool, normalised, in the forms that a query may be written in. */
export interface LexicalField {
  readonly field: SearchField
  /** The weight of a match here, from 0 to 1. */
  readonly worth: number
  readonly forms: readonly string[]
}

/** A tool as the lexical provider searches it. */
export interface LexicalText {
  /** The key and the name that a client sees: a query that is one of these means this tool. */
  readonly keys: readonly string[]
  /** The name first. */
  readonly fields: readonly LexicalField[]
  /** All forms in one text: most tools are ruled out by one look here. */
  readonly everything: string
}

/** Name over namespace over description and tags; a title is a name for people. */
const WORTH = { name: 0.7, title: 0.6, server: 0.5, description: 0.4, tags: 0.4, serverDescription: 0.3 } as const

/** Prepares a tool for lexical search. */
export function readLexicalText(tool: IndexedTool): LexicalText {
  const fields = [
    { field: 'name', worth: WORTH.name, forms: identifierForms(tool.name) },
    { field: 'title', worth: WORTH.title, forms: [written(tool.title)] },
    { field: 'server', worth: WORTH.server, forms: identifierForms(tool.namespace) },
    { field: 'description', worth: WORTH.description, forms: [written(tool.description)] },
    { field: 'tags', worth: WORTH.tags, forms: (tool.tags ?? []).map(written) },
    { field: 'server', worth: WORTH.serverDescription, forms: [written(tool.namespaceDescription)] },
  ] satisfies LexicalField[]
  const filled = fields.filter(({ forms }) => forms.some((form) => form !== ''))
  const keys = [tool.id, ...(tool.namespace === undefined ? [] : [`${tool.namespace}__${tool.name}`])].map(written)
  return { keys, fields: filled, everything: [...keys, ...filled.flatMap(({ forms }) => forms)].join('\n') }
}

/** Text as it stands, with width, case, diacritics and runs of space folded. */
export function written(text: string | undefined): string {
  if (text === undefined) return ''
  return normaliseText(text.slice(0, MOST_FIELD_CHARACTERS)).replace(/\s+/g, ' ').trim()
}

/** Text as one would say it: `createPullRequest` and `create_pull_request` are `create pull request`. */
export function spoken(text: string): string {
  return splitIdentifier(text.slice(0, MOST_FIELD_CHARACTERS)).map(normaliseText).join(' ')
}

function identifierForms(identifier: string | undefined): readonly string[] {
  return identifier === undefined ? [] : [...new Set([written(identifier), spoken(identifier)])]
}
