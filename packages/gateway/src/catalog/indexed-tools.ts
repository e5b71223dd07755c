// A project may describe a tool in its own words. Searches of that project then read these words and no others: they
// search a second entry of the index, which is in no other project's scope.
import { createHash } from 'node:crypto'
import type { IndexedTool } from '@tooldex/search'
import type { ToolKey } from '../model/tool-key.ts'
import type { CatalogTool } from './catalog.ts'

/** What projects say of tools, by key. */
export type Descriptions = ReadonlyMap<ToolKey, ReadonlySet<string>>

const SEPARATOR = '\u0000'

/** The id of a tool in the index: its key, or an entry of its own where a project describes it. */
export function searchedId(key: ToolKey, description: string | undefined): string {
  if (description === undefined) return key
  return `${key}${SEPARATOR}${createHash('sha256').update(description).digest('hex').slice(0, 16)}`
}

/** The key of the tool that an id of the index stands for. */
export function keyOfSearched(id: string): ToolKey {
  const at = id.lastIndexOf(SEPARATOR)
  // Ids are made from keys, here and nowhere else.
  return (at < 0 ? id : id.slice(0, at)) as ToolKey
}

/** All descriptions of projects, of whatever tools. */
export function descriptionsOf(projects: Iterable<DescribingProject>): Descriptions {
  const descriptions = new Map<ToolKey, Set<string>>()
  for (const { tools } of projects) {
    for (const [key, { description }] of tools) {
      if (description === undefined) continue
      const known = descriptions.get(key) ?? new Set()
      descriptions.set(key, known.add(description))
    }
  }
  return descriptions
}

/** As much of a project as says how it describes tools. */
interface DescribingProject {
  readonly tools: ReadonlyMap<ToolKey, { readonly description?: string }>
}

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
