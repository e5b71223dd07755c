import { GatewayError } from '../errors.ts'
import { DEFAULT_PROJECT, type GatewayModel, UNASSIGNED_PROJECT } from '../model/gateway-model.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ProjectTool } from '../model/project.ts'
import type { DisclosureSettings } from '../model/settings.ts'
import type { ToolKey } from '../model/tool-key.ts'
import { mayUseProject } from './eligible-tools.ts'

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

/** The same error for a missing project and for one that the caller may not use. */
function projectNotFound(id: string): GatewayError {
  return new GatewayError('PROJECT_NOT_FOUND', {
    project: id.slice(0, 200),
    remedy: 'Use a project of the token, or omit the project',
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

/** The implicit default project: all servers that are in no other project. */
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

/**
 * The endpoint's project, narrowed by `projectId` in the client's `_meta`. The result is always a part of the endpoint's
 * project: its servers that are also in the other project (for an empty id, `null` and `__unassigned__`: in no project). A
 * tool that either project denies is denied.
 * @throws GatewayError PROJECT_NOT_FOUND for an unknown project and one that the principal may not use
 */
export function narrowProject(projectId: string, meta: unknown, principal: Principal, model: GatewayModel): Project {
  const project = projectOf(model, projectId)
  const wanted = wantedProject(meta)
  if (wanted === undefined || wanted === project.id) return project
  if (wanted === '' || wanted === UNASSIGNED_PROJECT) {
    return within(project, unassignedServerIds(model.servers, model.projects.values()))
  }
  const other = model.projects.get(wanted)
  if (other === undefined || !mayUseProject(principal, other)) throw projectNotFound(wanted)
  return withoutForbidden(within(project, other.serverIds), other)
}

/** The requested project id, if any. */
function wantedProject(meta: unknown): string | undefined {
  if (typeof meta !== 'object' || meta === null || !Object.hasOwn(meta, 'projectId')) return undefined
  const { projectId } = meta as { projectId?: unknown }
  if (projectId === undefined || typeof projectId === 'string') return projectId?.trim()
  if (projectId === null) return ''
  throw new GatewayError('REQUEST_INVALID', { field: '_meta.projectId', reason: '_meta.projectId must be a string' })
}

/** Returns the same object where nothing changes, so that caches by object stay valid. */
function within(project: Project, serverIds: Iterable<string>): Project {
  const others = new Set(serverIds)
  const left = project.serverIds.filter((id) => others.has(id))
  return left.length === project.serverIds.length ? project : { ...project, serverIds: left }
}

function withoutForbidden(project: Project, other: Project): Project {
  const forbidden = [...other.tools].filter(([, { allowed }]) => allowed === false)
  if (forbidden.length === 0) return project
  const tools = new Map<ToolKey, ProjectTool>(project.tools)
  for (const [key] of forbidden) tools.set(key, { ...tools.get(key), allowed: false })
  return { ...project, tools }
}
