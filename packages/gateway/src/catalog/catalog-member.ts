import type { Server } from '../servers/server.ts'
import type { CatalogChange, CatalogServer } from './catalog.ts'
import type { CatalogEntry } from './catalog-entry.ts'
import type { Refresher } from './refresher.ts'

/** A server in the catalog: what is known of it and how far getting to know it has come. */
export interface Member {
  readonly entry: CatalogEntry
  readonly refresher: Refresher
  /** When it last answered with a list, by the catalog's clock. */
  listedAt: number
  /** What is known is also kept for later lives of the gateway. */
  isKept: boolean
  /** The server is being started only to learn what it has. */
  isMeeting: boolean
  couldNotMeet: boolean
}

/** States in which a server gives no answer that would be worth waiting for. */
const AT_REST: ReadonlySet<string> = new Set<CatalogServer['state']>([
  'stopped',
  'failed',
  'needs-login',
  'quarantined',
])

/** Whether nothing more is to be expected of an eager server for now. Others are not waited for at all. */
export function isSettled({ entry }: Member): boolean {
  const { enabled, start } = entry.server.definition
  return !enabled || start !== 'eager' || entry.hasAnswered || AT_REST.has(entry.state)
}

/** Whether something is known of a server, or it could not be reached. */
export function isMet({ entry, couldNotMeet }: Member): boolean {
  return !entry.server.definition.enabled || entry.isKnown || couldNotMeet || AT_REST.has(entry.state)
}

/** Whether the server promised to say when its tools change. */
export function tellsOfChanges(server: Server): boolean {
  const tools = server.capabilities()?.['tools']
  return typeof tools === 'object' && tools !== null && (tools as { listChanged?: unknown }).listChanged === true
}

/** The lists in which a server has anything: what changes when it goes. */
export function filledLists(server: CatalogServer): CatalogChange['lists'] {
  const lists: CatalogChange['lists'][number][] = []
  if (server.tools.size > 0) lists.push('tools')
  if (server.prompts.length > 0) lists.push('prompts')
  if (server.resources.length + server.resourceTemplates.length > 0) lists.push('resources')
  return lists
}
