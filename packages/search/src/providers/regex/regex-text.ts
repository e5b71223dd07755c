import { schemaText } from '../../tool/schema-text.ts'
import type { SearchField, IndexedTool } from '../../tool/tool.ts'
import { MOST_FIELD_CHARACTERS } from '../scan-provider.ts'
import { foldForLiterals } from './required-literals.ts'

/** A part of a tool that patterns are held against. */
export interface RegexField {
  readonly field: SearchField
  readonly text: string
  /**
   * Where the part itself begins: a match in `github__create_issue` must reach past `github__` to be one of the name.
   */
  readonly from: number
}

/** A tool as the regex provider searches it. */
export interface RegexText {
  /** The key and the name that a client sees, folded: a query that is one of these means this tool. */
  readonly keys: readonly string[]
  /** The name alone, folded. */
  readonly name: string
  /** In the order of what a match there is worth. */
  readonly fields: readonly RegexField[]
  /** All fields, one after the other in lines of their own: most tools are ruled out by one look here. */
  readonly everything: string
  readonly everythingFolded: string
}

/** Prepares a tool for patterns. */
export function readRegexText(tool: IndexedTool): RegexText {
  const exposed = tool.namespace === undefined ? [] : [`${tool.namespace}__${tool.name}`]
  const fields = [
    ...fieldsOf('name', [tool.name]),
    ...fieldsOf('name', tool.namespace === undefined ? [] : [...exposed, tool.id], tool.name.length),
    ...fieldsOf('title', [tool.title]),
    ...fieldsOf('server', [tool.namespace, tool.namespaceDescription]),
    ...fieldsOf('parameters', schemaText(tool.inputSchema).names),
    ...fieldsOf('tags', tool.tags ?? []),
    ...fieldsOf('description', [tool.description]),
  ]
  const everything = fields.map(({ text }) => text).join('\n')
  return {
    keys: [tool.id, ...exposed].map(foldForLiterals),
    name: foldForLiterals(tool.name),
    fields,
    everything,
    everythingFolded: foldForLiterals(everything),
  }
}

function fieldsOf(field: SearchField, texts: readonly (string | undefined)[], nameLength?: number): RegexField[] {
  return texts.flatMap((whole) => {
    const text = whole?.slice(0, MOST_FIELD_CHARACTERS) ?? ''
    return text === '' ? [] : [{ field, text, from: nameLength === undefined ? 0 : text.length - nameLength }]
  })
}
