import { GatewayError } from '../errors.ts'
import { listAll } from '../servers/protocol/list-all.ts'
import type { Server } from '../servers/server.ts'
import type { ListName } from '../model/last-good.ts'

/** A list as the server sent it. */
export type RawList = readonly Readonly<Record<string, unknown>>[]

/** The lists that a server sent, and the errors of the others. */
export interface Collected {
  readonly lists: ReadonlyMap<ListName, CollectedList>
  readonly problems: ReadonlyMap<ListName, unknown>
}

/** A list, and remarks on entries that were left out. */
export interface CollectedList {
  readonly items: RawList
  readonly remarks: readonly string[]
}

/** Extra time beyond the server's own limits, which should apply first. */
const GRACE_MS = 1_000

/**
 * Requests lists from a server, concurrently, with all pages, within its limits. A list that the server does not offer is
 * empty. One failing list does not affect the others, and the tools do not wait for them.
 * @param onTools receives the tools as soon as they are complete
 */
export async function collectLists(
  server: Server,
  wanted: ReadonlySet<ListName>,
  onTools: (tools: CollectedList) => Promise<void> = () => Promise.resolve(),
): Promise<Collected> {
  const lists = new Map<ListName, CollectedList>()
  const problems = new Map<ListName, unknown>()
  const collect = async (name: ListName): Promise<void> => {
    try {
      const { items, problems: remarks } = await withinLimits(server, name)
      const list = { items, remarks }
      if (name === 'tools') await onTools(list)
      lists.set(name, list)
    } catch (error) {
      problems.set(name, error)
    }
  }
  // The capabilities of a server are known after its start, and listing its tools starts it.
  const isNew = server.capabilities() === undefined && wanted.has('tools')
  if (isNew) await collect('tools')
  await Promise.all([...wanted].filter((name) => !isNew || name !== 'tools').map(collect))
  return { lists, problems }
}

/** A second time limit, in case the server's own limits fail. */
async function withinLimits(server: Server, name: ListName): ReturnType<typeof listAll> {
  const { startTimeoutMs, listTimeoutMs } = server.definition.limits
  const abort = new AbortController()
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => {
      const { name: serverName } = server.definition
      const reason = `"${serverName}" took too long to list its ${name}`
      reject(new GatewayError('SERVER_TIMEOUT', { server: serverName, reason }))
      abort.abort()
    },
    startTimeoutMs + listTimeoutMs + GRACE_MS,
  )
  try {
    return await Promise.race([listAll(server, name, abort.signal), tooLate])
  } finally {
    clearTimeout(timer)
  }
}
