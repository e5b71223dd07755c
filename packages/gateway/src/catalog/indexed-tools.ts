// A project may replace the description of a tool. Its searches then use a second index entry with that description, which
// is outside the scope of all other projects.
import { createHash } from 'node:crypto'
import type { IndexedTool } from '@tooldex/search'
import type { ToolKey } from '../model/tool-key.ts'
import type { CatalogTool } from './catalog.ts'

/** Descriptions by projects, by tool key. */
export type Descriptions = ReadonlyMap<ToolKey, ReadonlySet<string>>

const SEPARATOR = '\u0000'

/** The id of a tool in the index: its key, plus a hash of the description where a project has its own. */
export function searchedId(key: ToolKey, description: string | undefined): string {
  if (description === undefined) return key
  return `${key}${SEPARATOR}${createHash('sha256').update(description).digest('hex').slice(0, 16)}`
}

/** The tool key of an index id. */
export function keyOfSearched(id: string): ToolKey {
  const at = id.lastIndexOf(SEPARATOR)
  // Safe: only `searchedId` makes these ids, from keys.
  return (at < 0 ? id : id.slice(0, at)) as ToolKey
}

/** The tool descriptions of all projects. */
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

/** The part of a project that describes tools. */
interface DescribingProject {
  readonly tools: ReadonlyMap<ToolKey, { readonly description?: string }>
}

const MOST_LINES = 8
const MOST_CHARACTERS = 600

/**
 * A tool as an index entry, with the description of a project where it has one. Fields are picked one by one, so that
 * unknown fields of a server cannot overwrite fields of the index.
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

/** The first lines of a server's instructions, without the manual that may follow. */
export function aboutServer(instructions: string | undefined): string | undefined {
  const lines = (instructions ?? '').slice(0, MOST_CHARACTERS * 4).split('\n')
  const filled = lines.map((line) => line.trim()).filter((line) => line !== '')
  const about = filled.slice(0, MOST_LINES).join('\n').slice(0, MOST_CHARACTERS)
  return about === '' ? undefined : about
}
