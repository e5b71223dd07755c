import type { RouteQuery } from '@tooldex/contract/admin'
import type { Project } from '../model/project.ts'
import { forbidderOf } from '../access/tool-permission.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import { isDeferred, isDeferring } from '../exposure/is-deferred.ts'
import { resolveSettings } from '../exposure/resolve-settings.ts'
import { atField } from './invalid-request.ts'
import type { AdminPicture } from './picture.ts'

/** What tools are narrowed by. */
export type ToolFilter = Omit<RouteQuery<'listTools'>, 'q' | 'limit' | 'cursor'>

type Fits = (tool: CatalogTool) => boolean

/** The tools that fit everything that is asked for. @throws GatewayError PROJECT_NOT_FOUND */
export function fittingTools(filter: ToolFilter, picture: AdminPicture): CatalogTool[] {
  const { server, project: projectId } = filter
  const project = projectId === undefined ? undefined : atField('project', () => picture.project(projectId))
  const inProjects = project === undefined ? [...picture.model.projects.values()] : [project]
  const conditions = [
    ...(server === undefined ? [] : [({ serverId }: CatalogTool) => serverId === server]),
    ...(project === undefined ? [] : [ofServers(project)]),
    ...asked(filter.allowed, isAllowed(project, picture)),
    ...asked(filter.readOnly, (tool) => says(tool, 'readOnlyHint')),
    // What only reads destroys nothing, whatever else is said of it.
    ...asked(filter.destructive, (tool) => says(tool, 'destructiveHint') && !says(tool, 'readOnlyHint')),
    ...asked(filter.idempotent, (tool) => says(tool, 'idempotentHint')),
    ...asked(filter.openWorld, (tool) => says(tool, 'openWorldHint')),
    ...asked(filter.deferred, inAny(inProjects, isDeferredIn)),
    ...asked(filter.pinned, inAny(inProjects, isPinnedIn)),
  ]
  return [...picture.catalog.tools.values()].filter((tool) => conditions.every((fits) => fits(tool)))
}

/** Whether clients of a project are told to load a tool later, unless their endpoint says otherwise. */
export function isDeferredIn(project: Project): Fits {
  const settings = resolveSettings({}, project.disclosure)
  const listIsDeferring = isDeferring(settings.exposure, settings)
  return ({ key }) => isDeferred(key, project.tools, listIsDeferring)
}

const isPinnedIn =
  ({ tools }: Project): Fits =>
  ({ key }) =>
    tools.get(key)?.pinned === true

function asked(flag: 'true' | 'false' | undefined, fits: Fits): readonly Fits[] {
  if (flag === undefined) return []
  return flag === 'true' ? [fits] : [(tool) => !fits(tool)]
}

function ofServers({ serverIds }: Project): Fits {
  const ids = new Set(serverIds)
  return ({ serverId }) => ids.has(serverId)
}

function isAllowed(project: Project | undefined, { model: { serverTools } }: AdminPicture): Fits {
  if (project === undefined) return ({ serverId, name }) => serverTools.get(serverId)?.[name] !== false
  return (tool) => forbidderOf(tool, project, serverTools) === undefined
}

/** In a project that has the tool's server. */
function inAny(projects: readonly Project[], fitsIn: (project: Project) => Fits): Fits {
  const each = projects.map((project) => ({ has: ofServers(project), fits: fitsIn(project) }))
  return (tool) => each.some(({ has, fits }) => has(tool) && fits(tool))
}

function says({ definition: { annotations } }: CatalogTool, hint: string): boolean {
  return (annotations as Readonly<Record<string, unknown>> | undefined)?.[hint] === true
}
