import type { GatewayModel } from '../model/gateway-model.ts'
import { TRUST_MODES, type TrustMode } from '../model/pins.ts'
import type { Project } from '../model/project.ts'
import { type ToolKeyParts, toolKeyParts } from '../model/tool-key.ts'

/** The strictest of the modes that are set; `standard` if none is. */
export function strictestTrust(modes: readonly (TrustMode | undefined)[]): TrustMode {
  return TRUST_MODES.findLast((mode) => modes.includes(mode)) ?? 'standard'
}

/** What people decided about the changes of a server: the mode, and the tools that some rule denies. */
export function trustPolicy(
  { trust, serverTools, projects }: GatewayModel,
  serverId: string,
): { readonly mode: TrustMode; readonly denied: ReadonlySet<string> } {
  const denied = new Set(deniedBy(projects).get(serverId))
  for (const [name, isAllowed] of Object.entries(serverTools.get(serverId) ?? {})) if (!isAllowed) denied.add(name)
  return { mode: trust.get(serverId) ?? 'standard', denied }
}

type DeniedTools = ReadonlyMap<string, readonly string[]>

/** By objects that never change, so that a change of one project does not read the tools of all others again. */
const deniedByProject = new WeakMap<Project, readonly ToolKeyParts[]>()
const deniedByProjects = new WeakMap<GatewayModel['projects'], DeniedTools>()

/** The names of the tools that some project denies, by server. */
function deniedBy(projects: GatewayModel['projects']): DeniedTools {
  const known = deniedByProjects.get(projects)
  if (known !== undefined) return known
  const denied = new Map<string, string[]>()
  for (const project of projects.values()) {
    for (const { serverId, toolName } of deniedIn(project)) {
      const names = denied.get(serverId)
      if (names === undefined) denied.set(serverId, [toolName])
      else names.push(toolName)
    }
  }
  deniedByProjects.set(projects, denied)
  return denied
}

function deniedIn(project: Project): readonly ToolKeyParts[] {
  const known = deniedByProject.get(project)
  if (known !== undefined) return known
  const ruled = [...project.tools].filter(([, { allowed }]) => allowed === false)
  const denied = ruled.map(([key]) => toolKeyParts(key))
  deniedByProject.set(project, denied)
  return denied
}
