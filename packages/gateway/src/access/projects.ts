import { GatewayError } from '../errors.ts'
import type { DisclosureSettings } from '../model/settings.ts'
import { DEFAULT_PROJECT, type GatewayModel } from '../model/gateway-model.ts'
import type { Project } from '../model/project.ts'

type AssignedServers = Iterable<Pick<Project, 'id' | 'serverIds'>>

/**
 * The project with this id.
 * @throws GatewayError PROJECT_NOT_FOUND
 */
export function projectOf(model: GatewayModel, id: string): Project {
  const project = model.projects.get(id)
  if (project === undefined) throw projectNotFound(id)
  return project
}

/** The answer about a project that does not exist and about one that the caller may not use: they look alike. */
export function projectNotFound(id: string): GatewayError {
  return new GatewayError('PROJECT_NOT_FOUND', {
    project: id.slice(0, 200),
    remedy: 'Use a project that the token is for, or leave the project out',
  })
}

/** Ids of the servers that no project names, in configured order. The default project's own list does not count. */
export function unassignedServerIds(servers: readonly { readonly id: string }[], projects: AssignedServers): string[] {
  const assigned = new Set<string>()
  for (const { id, serverIds } of projects) {
    if (id !== DEFAULT_PROJECT) for (const serverId of serverIds) assigned.add(serverId)
  }
  return servers.map(({ id }) => id).filter((id) => !assigned.has(id))
}

/** The project that exists without anybody writing it down: all servers that are in no other. */
export function defaultProject(
  servers: readonly { readonly id: string }[],
  projects: AssignedServers,
  disclosure: DisclosureSettings = {},
): Project {
  return {
    id: DEFAULT_PROJECT,
    name: 'Default',
    serverIds: unassignedServerIds(servers, projects),
    tools: new Map(),
    disclosure,
  }
}
