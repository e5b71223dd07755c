import type { IndexedTool } from '@tooldex/search'
import type { CatalogTool } from './catalog.ts'
import { searchedId } from './described-tools.ts'

const MOST_LINES = 8
const MOST_CHARACTERS = 600

/**
 * A tool as searches read it, in the words of a project where there are some. Picked field by field: a server's own fields
 * must not pass for the index's.
 */
export function indexedTool(tool: CatalogTool, about: string | undefined, ownWords?: string): IndexedTool {
  const { name, title, inputSchema, annotations } = tool.definition
  const description = ownWords ?? tool.definition.description
  return {
    id: searchedId(tool.key, ownWords),
    name,
    namespace: tool.serverName,
    ...(about === undefined ? {} : { namespaceDescription: about }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(inputSchema === undefined ? {} : { inputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  }
}

/** The first lines of a server's instructions: what it says of itself, without the manual that may follow. */
export function aboutServer(instructions: string | undefined): string | undefined {
  const lines = (instructions ?? '').slice(0, MOST_CHARACTERS * 4).split('\n')
  const filled = lines.map((line) => line.trim()).filter((line) => line !== '')
  const about = filled.slice(0, MOST_LINES).join('\n').slice(0, MOST_CHARACTERS)
  return about === '' ? undefined : about
}
