// A project may replace the name and the description of a tool. Its searches then use a second index entry with these words,
// which is outside the scope of all other projects.
import { createHash } from 'node:crypto'
import type { IndexedTool } from '@tooldex/search'
import { type ToolKey, toolKeyParts } from '../../model/tool-key.ts'
import type { CatalogTool } from '../catalog.ts'

/** Texts of `ownWordsOf`, by tool key. */
export type Descriptions = ReadonlyMap<ToolKey, ReadonlySet<string>>

const SEPARATOR = '\u0000'

/** The id of a tool in the index: its key, plus a hash of the words of a project that has its own. */
export function searchedId(key: ToolKey, ownWords: string | undefined): string {
  if (ownWords === undefined) return key
  return `${key}${SEPARATOR}${createHash('sha256').update(ownWords).digest('hex').slice(0, 16)}`
}

/** The tool key of an index id. */
export function keyOfSearched(id: string): ToolKey {
  const at = id.lastIndexOf(SEPARATOR)
  // Safe: only `searchedId` makes these ids, from keys.
  return (at < 0 ? id : id.slice(0, at)) as ToolKey
}

/**
 * The server under which the index has an id. An entry with a project's words is a server of its own, so that a rule
 * which names the tool's server does not include it.
 */
export function serverOfSearched(id: string): string {
  return id.includes(SEPARATOR) ? id : toolKeyParts(id).serverId
}

/** Tools sorted by id. */
export function inIdOrder(tools: readonly IndexedTool[]): IndexedTool[] {
  return tools.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
}

/** What projects say about tools in place of their servers, by tool key. */
export function descriptionsOf(projects: Iterable<DescribingProject>): Descriptions {
  const descriptions = new Map<ToolKey, Set<string>>()
  for (const { tools } of projects) {
    for (const [key, tool] of tools) {
      const words = ownWordsOf(tool)
      if (words === undefined) continue
      const known = descriptions.get(key) ?? new Set()
      descriptions.set(key, known.add(words))
    }
  }
  return descriptions
}

/** The part of a project that describes tools. */
interface DescribingProject {
  readonly tools: ReadonlyMap<ToolKey, ProjectWords>
}

interface ProjectWords {
  readonly name?: string
  readonly description?: string
}

/** What a project says about a tool, as one text: a description alone is this text itself. */
export function ownWordsOf({ name, description }: ProjectWords = {}): string | undefined {
  if (name === undefined && description?.includes(SEPARATOR) !== true) return description
  return `${name ?? ''}${SEPARATOR}${description === undefined ? '' : SEPARATOR + description}`
}

function wordsIn(text: string): ProjectWords {
  const at = text.indexOf(SEPARATOR)
  if (at < 0) return { description: text }
  const [name, rest] = [text.slice(0, at), text.slice(at + 1)]
  return { ...(name !== '' && { name }), ...(rest !== '' && { description: rest.slice(1) }) }
}

const MOST_LINES = 8
const MOST_CHARACTERS = 600

/**
 * A tool as an index entry, with the words of a project where it has some. Fields are picked one by one, so that
 * unknown fields of a server cannot overwrite fields of the index.
 */
export function indexedTool(tool: CatalogTool, about: string | undefined, ownWords?: string): IndexedTool {
  const { title, inputSchema, annotations } = tool.definition
  const own = ownWords === undefined ? {} : wordsIn(ownWords)
  const { name = tool.definition.name, description = tool.definition.description } = own
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
