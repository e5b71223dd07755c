import type { StoredState } from '../model/stored-state.ts'
import { toolKeyParts } from '../model/tool-key.ts'

/** The ids of the entries that a change of the store may concern, changed or removed. */
export interface TouchedEntries {
  readonly servers: ReadonlySet<string>
  readonly projects: ReadonlySet<string>
  readonly endpoints: ReadonlySet<string>
  /** Whether entries that refer to others must be checked again, those of the file included. */
  readonly mayBreakReferences: boolean
}

/**
 * The entries to merge and check after a change: those that are not the same objects as before, and those that refer to an
 * entry which came or went.
 */
export function touchedSince(before: StoredState, now: StoredState): TouchedEntries {
  const servers = changedIds(before.servers, now.servers)
  const changedProjects = changedIds(before.projects, now.projects)
  const comingServers = comingAndGoing(servers, before.servers, now.servers)
  const comingProjects = comingAndGoing(changedProjects, before.projects, now.projects)
  const isNamed = (key: string): boolean => comingServers.has(toolKeyParts(key).serverId)
  const projects = now.projects.filter(
    ({ config }) =>
      comingServers.size > 0 &&
      (config.servers?.some((id) => comingServers.has(id)) === true || Object.keys(config.tools ?? {}).some(isNamed)),
  )
  // The number of servers of a project decides whether an endpoint can be transparent.
  const mayBreakReferences = comingServers.size + changedProjects.size > 0
  const endpoints = now.endpoints.filter(
    ({ config }) => comingProjects.has(config.project) || (mayBreakReferences && config.transparent),
  )
  return {
    servers,
    projects: new Set([...changedProjects, ...projects.map(({ id }) => id)]),
    endpoints: new Set([...changedIds(before.endpoints, now.endpoints), ...endpoints.map(({ id }) => id)]),
    mayBreakReferences,
  }
}

type Entries = readonly { readonly id: string }[]

function changedIds(before: Entries, now: Entries): ReadonlySet<string> {
  if (before === now) return new Set()
  const old = new Map(before.map((entry) => [entry.id, entry]))
  const changed = new Set<string>()
  for (const entry of now) {
    if (old.get(entry.id) !== entry) changed.add(entry.id)
    old.delete(entry.id)
  }
  for (const id of old.keys()) changed.add(id)
  return changed
}

function comingAndGoing(changed: ReadonlySet<string>, before: Entries, now: Entries): ReadonlySet<string> {
  if (changed.size === 0) return changed
  const [old, current] = [before, now].map((entries) => new Set(entries.map(({ id }) => id)))
  return new Set([...changed].filter((id) => old?.has(id) !== current?.has(id)))
}
