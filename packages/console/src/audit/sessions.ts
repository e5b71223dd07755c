import type { AdminAuditEntry } from '@tooldex/contract/admin'

type Search = Extract<AdminAuditEntry, { kind: 'search' }>
type Call = Extract<AdminAuditEntry, { kind: 'call' }>

/** One step of an agent: a search with the calls of tools that it found, or a call that followed no search. */
export interface Step {
  readonly at: number
  readonly search?: Search
  readonly calls: readonly {
    readonly entry: Call /** The place among the results; 1 is the first. */
    readonly rank?: number
  }[]
}

/** What one client did, without a long pause. */
export interface Session {
  readonly key: string
  readonly first: AdminAuditEntry
  readonly from: number
  readonly until: number
  readonly searches: number
  readonly calls: number
  readonly errors: number
  /** Oldest first. */
  readonly steps: readonly Step[]
}

/** A client that is silent for longer begins anew. */
const PAUSE_MS = 30 * 60_000

/** Groups searches and calls by client, newest session first. A call belongs to the latest search that found its tool. */
export function sessionsOf(entries: readonly AdminAuditEntry[]): readonly Session[] {
  const open = new Map<string, (Search | Call)[]>()
  const ended: (Search | Call)[][] = []
  const asked = entries.filter((entry) => entry.kind === 'search' || entry.kind === 'call')
  for (const entry of asked.toSorted((one, other) => one.at - other.at)) {
    const client = clientOf(entry)
    const current = open.get(client)
    if (current !== undefined && entry.at - (current.at(-1)?.at ?? 0) <= PAUSE_MS) current.push(entry)
    else {
      const begun = [entry]
      open.set(client, begun)
      ended.push(begun)
    }
  }
  return ended.map(sessionOf).toSorted((one, other) => other.until - one.until)
}

function clientOf({ tokenId, clientName, projectId, endpointId, transport }: AdminAuditEntry): string {
  return JSON.stringify([tokenId, clientName, projectId, endpointId, transport])
}

function sessionOf(entries: readonly (Search | Call)[]): Session {
  const [first] = entries as readonly [Search | Call]
  return {
    key: `${clientOf(first)} ${first.at} ${first.requestId}`,
    first,
    from: first.at,
    until: entries.at(-1)?.at ?? first.at,
    searches: entries.filter(({ kind }) => kind === 'search').length,
    calls: entries.filter(({ kind }) => kind === 'call').length,
    errors: entries.filter(({ outcome }) => outcome !== 'ok').length,
    steps: stepsOf(entries),
  }
}

function stepsOf(entries: readonly (Search | Call)[]): readonly Step[] {
  const steps: { at: number; search?: Search; calls: { entry: Call; rank?: number }[] }[] = []
  for (const entry of entries) {
    if (entry.kind === 'search') {
      steps.push({ at: entry.at, search: entry, calls: [] })
      continue
    }
    const found = steps.findLast(({ search }) => search?.resultKeys.includes(entry.toolKey) === true)
    const rank = found?.search?.resultKeys.indexOf(entry.toolKey)
    if (found === undefined || rank === undefined) steps.push({ at: entry.at, calls: [{ entry }] })
    else found.calls.push({ entry, rank: rank + 1 })
  }
  return steps
}
