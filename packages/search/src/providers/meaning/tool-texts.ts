import { type SchemaText, schemaText } from '../../tool/schema-text.ts'
import { splitIdentifier } from '../../text/split-identifier.ts'
import type { IndexedTool } from '../../tool/tool.ts'

/** Text further back describes a tool poorly, and models read no more. */
const MOST_DESCRIPTION = 800
const MOST_PARAMETERS = 500

const ONE_WORD = /^[a-z]+$/
const LEAD_END = /[.!?](?=\s)|[。！？]|\n/

/**
 * The two texts of a tool that are embedded: its first sentence, and its description with parameters. The mean of both
 * finds a tool by either, and the lead counts more for it.
 */
export function toolTexts(tool: IndexedTool): readonly string[] {
  const server = tool.namespace === undefined ? '' : `${words(tool.namespace)}: `
  const title = tool.title === undefined ? '' : `${tool.title}. `
  const self = `${server}${words(tool.name)}. ${title}`
  const description = (tool.description ?? '').trim().slice(0, MOST_DESCRIPTION)
  const end = description.search(LEAD_END)
  const lead = end < 0 ? description : description.slice(0, end + 1)
  const schema = schemaText(tool.inputSchema)
  const full = schema.names.length === 0 ? description : `${description} Parameters: ${parameters(schema)}`
  return full === lead ? [self + lead] : [self + lead, self + full]
}

/** Names, then what is said of them, no more than is kept. */
function parameters({ names, details }: SchemaText): string {
  let text = ''
  for (let i = 0; i < names.length && text.length < MOST_PARAMETERS; i++) {
    text += `${i === 0 ? '' : ', '}${words(names[i] as string)}`
  }
  text += '.'
  for (let i = 0; i < details.length && text.length < MOST_PARAMETERS; i++) text += ` ${details[i]}`
  return (details.length === 0 ? `${text} ` : text).slice(0, MOST_PARAMETERS)
}

/** Identifiers as words, because models know words. A name without any letter or digit stays as it is. */
function words(identifier: string): string {
  return ONE_WORD.test(identifier) ? identifier : splitIdentifier(identifier).join(' ') || identifier
}
