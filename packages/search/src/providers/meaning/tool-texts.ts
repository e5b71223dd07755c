import { schemaText } from '../../schema-text.ts'
import { splitIdentifier } from '../../text/split-identifier.ts'
import type { IndexedTool } from '../../tool.ts'

/** What stands further back says little about a tool, and models read no more. */
const MOST_DESCRIPTION = 800
const MOST_PARAMETERS = 500

const LEAD_END = /[.!?](?=\s)|[。！？]|\n/

/**
 * What is embedded of a tool: what it says first, and all it says with its parameters. The mean of both finds a tool by
 * either, and the lead counts more for it.
 */
export function toolTexts(tool: IndexedTool): readonly string[] {
  const server = tool.namespace === undefined ? '' : `${words(tool.namespace)}: `
  const title = tool.title === undefined ? '' : `${tool.title}. `
  const self = `${server}${words(tool.name)}. ${title}`
  const description = (tool.description ?? '').trim().slice(0, MOST_DESCRIPTION)
  const end = description.search(LEAD_END)
  const lead = end < 0 ? description : description.slice(0, end + 1)
  const { names, details } = schemaText(tool.inputSchema)
  const parameters = `${names.map(words).join(', ')}. ${details.join(' ')}`.slice(0, MOST_PARAMETERS)
  const full = names.length === 0 ? description : `${description} Parameters: ${parameters}`
  return full === lead ? [self + lead] : [self + lead, self + full]
}

/** Identifiers as words, because models know words. A name without any letter or digit stays as it is. */
function words(identifier: string): string {
  return splitIdentifier(identifier).join(' ') || identifier
}
