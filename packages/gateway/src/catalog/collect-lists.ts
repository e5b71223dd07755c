import { GatewayError } from '../errors.ts'
import { listAll } from '../servers/protocol/list-all.ts'
import type { Server } from '../servers/server.ts'
import type { ListName } from '../model/last-good.ts'

/** What servers list, as it comes. */
export type RawList = readonly Readonly<Record<string, unknown>>[]

/** What a server answered: the lists that it gave and why it did not give the others. */
export interface Collected {
  readonly lists: ReadonlyMap<ListName, CollectedList>
  readonly problems: ReadonlyMap<ListName, unknown>
}

/** A list and what was left out of it, in sentences. */
export interface CollectedList {
  readonly items: RawList
  readonly remarks: readonly string[]
}

/** Given beyond a server's own limits, which should have ended the wait before. */
const GRACE_MS = 1_000

/**
 * Asks a server for lists, all at once, all pages, under its own limits. What a server does not offer is an empty list;
 * one list that cannot be had does not keep back the others.
 */
export async function collectLists(server: Server, wanted: ReadonlySet<ListName>): Promise<Collected> {
  const lists = new Map<ListName, CollectedList>()
  const problems = new Map<ListName, unknown>()
  const collect = async (name: ListName): Promise<void> => {
    try {
      const { items, problems: remarks } = await withinLimits(server, name)
      lists.set(name, { items, remarks })
    } catch (error) {
      problems.set(name, error)
    }
  }
  // What a server offers besides tools is known when it has been started; asking for tools starts it.
  const isNew = server.capabilities() === undefined && wanted.has('tools')
  if (isNew) await collect('tools')
  await Promise.all([...wanted].filter((name) => !isNew || name !== 'tools').map(collect))
  return { lists, problems }
}

/** Holds also where the server's own limits should fail: nothing may hang for ever. */
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
