import type { CatalogTool } from '../catalog/catalog.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'

/** Who forbade a tool: its server's permissions, for everybody, or the project's. */
export type Forbidder = 'server' | 'project'

/** Who forbids a tool, if anybody does. Only `false` forbids: a missing entry allows. */
export function forbidderOf(
  tool: CatalogTool,
  project: Project,
  serverTools: ServerToolPermissions,
): Forbidder | undefined {
  if (serverTools.get(tool.serverId)?.[tool.name] === false) return 'server'
  return project.tools.get(tool.key)?.allowed === false ? 'project' : undefined
}

/** Whether the kind of token fits the tool: a read-only one fits what is annotated so. */
export function fitsToken(principal: Principal, tool: CatalogTool): boolean {
  return !principal.readOnly || tool.definition.annotations?.['readOnlyHint'] === true
}
