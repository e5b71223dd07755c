// A project may describe a tool in its own words. Searches of that project then read these words and no others: they
// search a second entry of the index, which is in no other project's scope.
import { createHash } from 'node:crypto'
import type { ToolKey } from '../model/tool-key.ts'

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
export interface DescribingProject {
  readonly tools: ReadonlyMap<ToolKey, { readonly description?: string }>
}
