import type { CatalogServer, CatalogSnapshot } from '../catalog/catalog.ts'
import type { Principal } from '../model/principal.ts'
import type { Project } from '../model/project.ts'

/** States of a server that can answer, if need be after it was started. */
const AVAILABLE: ReadonlySet<string> = new Set<CatalogServer['state']>(['running', 'idle', 'starting'])

/** Whether a principal may use anything of a project at all. */
export function mayUseProject(principal: Principal, project: Project): boolean {
  return principal.projects === undefined || principal.projects.has(project.id)
}

/** Whether a server can answer now or after being started on demand. */
export function isAvailable(server: CatalogServer): boolean {
  return AVAILABLE.has(server.state)
}

/** Servers of the project that the principal may use, whatever they are doing, in the project's order of priority. */
export function serversWithin(
  principal: Principal,
  project: Project,
  catalog: CatalogSnapshot,
): readonly CatalogServer[] {
  if (!mayUseProject(principal, project)) return []
  const byId = new Map(catalog.servers.map((server) => [server.id, server]))
  const servers: CatalogServer[] = []
  for (const id of new Set(project.serverIds)) {
    const server = byId.get(id)
    if (server !== undefined && (principal.servers?.has(id) ?? true)) servers.push(server)
  }
  return servers
}

/** Of those, the ones that can answer now: what lists, searches and calls draw from. */
export function eligibleServers(
  principal: Principal,
  project: Project,
  catalog: CatalogSnapshot,
): readonly CatalogServer[] {
  return serversWithin(principal, project, catalog).filter(isAvailable)
}
