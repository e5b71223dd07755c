import type { ServerDefinition } from '../model/server.ts'
import { formatToolKey } from '../model/tool-key.ts'
import type { PinnedKind } from '../model/pins.ts'
import type { Definition } from '../trust/fingerprint.ts'
import type { CatalogTool } from './catalog.ts'
import type { RawList } from './collect-lists.ts'
import type { Reviewed } from './review-definitions.ts'

/** Reviews definitions of a server: approves, records or holds them. */
export type ReviewDefinitions = (
  serverId: string,
  kind: PinnedKind,
  entries: ReadonlyMap<string, Definition>,
) => Promise<Reviewed>

/** The tools of a server that may be served, and the others. */
export interface ReviewedTools {
  readonly served: ReadonlyMap<string, CatalogTool>
  readonly held: ReadonlyMap<string, CatalogTool>
  readonly isUnstored: boolean
}

/** Reviews the tools of a server. Unchanged tools and maps stay the same objects. */
export async function reviewTools(
  server: Pick<ServerDefinition, 'id' | 'name'>,
  live: ReadonlyMap<string, CatalogTool>,
  before: Pick<ReviewedTools, 'served' | 'held'>,
  review: ReviewDefinitions,
): Promise<ReviewedTools> {
  const entries = new Map<string, Definition>()
  for (const { name, definition } of live.values()) entries.set(name, definition as unknown as Definition)
  const { served, withheld, isUnstored } = await review(server.id, 'tool', entries)
  const approved = new Map<string, CatalogTool>()
  for (const [name, definition] of served) {
    const tool = live.get(name)
    const isAsSent = (tool?.definition as unknown) === definition
    approved.set(name, isAsSent && tool ? tool : asTool(server, name, definition, before.served.get(name)))
  }
  const held = new Map<string, CatalogTool>()
  for (const [name, { approved: known }] of withheld) {
    const definition = known?.definition ?? { name, inputSchema: { type: 'object' } }
    held.set(name, asTool(server, name, definition, before.held.get(name)))
  }
  return { served: sameMap(before.served, approved), held: sameMap(before.held, held), isUnstored }
}

/** A tool of a stored definition; the known object if it is the same. */
function asTool(
  { id: serverId, name: serverName }: Pick<ServerDefinition, 'id' | 'name'>,
  name: string,
  stored: Definition,
  known: CatalogTool | undefined,
): CatalogTool {
  const isSame = known?.serverName === serverName && JSON.stringify(known.definition) === JSON.stringify(stored)
  if (isSame) return known
  const definition = stored as unknown as CatalogTool['definition']
  return Object.freeze({ key: formatToolKey(serverId, name), serverId, serverName, name, definition, repairs: [] })
}

/** The map from before if the new one has the same tools. */
function sameMap(
  before: ReadonlyMap<string, CatalogTool>,
  after: ReadonlyMap<string, CatalogTool>,
): ReadonlyMap<string, CatalogTool> {
  const isSame = before.size === after.size && [...after].every(([name, tool]) => before.get(name) === tool)
  return isSame ? before : after
}

/** The field that names an entry of a list, and the kind of its pins. */
const REVIEWED_LISTS = {
  prompts: { kind: 'prompt', key: 'name' },
  resourceTemplates: { kind: 'resource-template', key: 'uriTemplate' },
} as const

/** Reviews a list of prompts or resource templates. Entries without a name are left as they are: they cannot be used. */
export async function reviewList(
  serverId: string,
  list: keyof typeof REVIEWED_LISTS,
  items: RawList,
  review: ReviewDefinitions,
): Promise<{ readonly items: RawList; readonly isUnstored: boolean }> {
  const { kind, key } = REVIEWED_LISTS[list]
  const entries = new Map<string, Definition>()
  for (const item of items) {
    const name = item[key]
    // The first one of a name is used, as everywhere.
    if (typeof name === 'string' && name !== '' && !entries.has(name)) entries.set(name, item)
  }
  const { served, isUnstored } = await review(serverId, kind, entries)
  return { items: [...served.values()], isUnstored }
}

/** The instructions of a server that may be used. */
export async function reviewInstructions(
  serverId: string,
  instructions: string | undefined,
  review: ReviewDefinitions,
): Promise<{ readonly instructions: string | undefined; readonly isUnstored: boolean }> {
  // Instructions that come later are a change of none.
  const entries = new Map([['', { instructions: instructions ?? '' }]])
  const { served, isUnstored } = await review(serverId, 'instructions', entries)
  const text = served.get('')?.['instructions']
  return { instructions: typeof text === 'string' && text !== '' ? text : undefined, isUnstored }
}
