import { GatewayError } from '../errors.ts'
import type { Endpoint } from '../model/endpoint.ts'
import { DEFAULT_ENDPOINT, DEFAULT_PROJECT, type GatewayModel, UNASSIGNED_PROJECT } from '../model/gateway-model.ts'
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

function projectNotFound(id: string): GatewayError {
  return new GatewayError('PROJECT_NOT_FOUND', { project: id.slice(0, 200) })
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
 * The project that a client asks for with `projectId` in its `_meta`. On the default endpoint it selects a project that the
 * principal may use. Elsewhere the result is always a part of the endpoint's project: its servers that are also in the other
 * one (for an empty id, `null` and `__unassigned__`: in no project). A tool that either project denies is denied.
 *
 * Where nothing is left, `emptied` says so: the same for a missing project and for one that the principal may not use.
 */
export function wantedProject(endpoint: Endpoint, meta: unknown, principal: Principal, model: GatewayModel): Project {
  const project = projectOf(model, endpoint.projectId)
  const wanted = wantedId(meta)
  if (wanted === undefined || wanted === project.id) return project
  if (wanted === '' || wanted === UNASSIGNED_PROJECT) {
    const left = within(project, unassignedServerIds(model.servers, model.projects.values()))
    return left.serverIds.length > 0 ? left : { ...left, emptied: 'Every server here belongs to a project' }
  }
  const other = model.projects.get(wanted)
  const name = JSON.stringify(wanted.slice(0, LONGEST_SHOWN_ID))
  if (other === undefined || !mayUseProject(principal, other)) {
    return { ...project, serverIds: [], emptied: `There is no project ${name} that you may use` }
  }
  if (mayChooseAt(endpoint)) return other
  const left = withoutForbidden(within(project, other.serverIds), other)
  return left.serverIds.length > 0 ? left : { ...left, emptied: `No server here is in the project ${name}` }
}

const LONGEST_SHOWN_ID = 40

/** Clients choose projects by their tokens, so an endpoint without them offers no choice. */
function mayChooseAt({ id, auth, transparent }: Endpoint): boolean {
  return id === DEFAULT_ENDPOINT && auth === 'token' && !transparent
}

/** The requested project id, if any. */
function wantedId(meta: unknown): string | undefined {
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
  if (other.allow === 'only') return onlyNamed(project, other)
  const forbidden = [...other.tools].filter(([, { allowed }]) => allowed === false)
  if (forbidden.length === 0) return project
  const tools = new Map<ToolKey, ProjectTool>(project.tools)
  for (const [key] of forbidden) tools.set(key, { ...tools.get(key), allowed: false })
  return { ...project, tools }
}

/** The tools that both projects allow, where the other one is an allow-list. */
function onlyNamed(project: Project, other: Project): Project {
  const tools = new Map<ToolKey, ProjectTool>()
  for (const [key, tool] of project.tools) tools.set(key, { ...tool, allowed: false })
  for (const [key, { allowed }] of other.tools) {
    const own = project.tools.get(key)
    const isAllowed = allowed === true && (project.allow === 'only' ? own?.allowed === true : own?.allowed !== false)
    tools.set(key, { ...own, allowed: isAllowed })
  }
  return { ...project, tools, allow: 'only' }
}
