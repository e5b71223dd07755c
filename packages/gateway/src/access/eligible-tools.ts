import { ToolScope } from '@tooldex/search'
import type { CatalogServer, CatalogSnapshot, CatalogTool } from '../catalog/catalog.ts'
import type { ToolKey } from '../model/tool-key.ts'
import { eligibleServers } from './eligible-servers.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'
import { fitsToken, forbidderOf } from './tool-permission.ts'

declare const eligible: unique symbol

/** Tools that a principal may see and call, in the project's order. Only `eligibleTools` can make one. */
export interface EligibleTools {
  readonly [eligible]: true
  readonly project: Project
  /** The servers that can be used, those without an eligible tool included: prompts and resources are theirs. */
  readonly servers: readonly CatalogServer[]
  readonly list: readonly CatalogTool[]
  readonly keys: ReadonlySet<ToolKey>
  readonly byKey: ReadonlyMap<ToolKey, CatalogTool>
  /** The keys as a search wants them: `within` of every search for this caller. */
  readonly scope: ToolScope
}

/** The one owner of the decision who may use what. Pure. */
export function eligibleTools(
  principal: Principal,
  project: Project,
  serverTools: ServerToolPermissions,
  catalog: CatalogSnapshot,
): EligibleTools {
  const servers = eligibleServers(principal, project, catalog)
  const list: CatalogTool[] = []
  for (const server of servers) {
    for (const tool of server.tools.values()) {
      if (fitsToken(principal, tool) && forbidderOf(tool, project, serverTools) === undefined) list.push(tool)
    }
  }
  return new Eligible(project, servers, list) as unknown as EligibleTools
}

/** What is derived from the list is made when first asked for: most requests need only part of it. */
class Eligible implements Omit<EligibleTools, typeof eligible> {
  readonly project: Project
  readonly servers: readonly CatalogServer[]
  readonly list: readonly CatalogTool[]
  #byKey: ReadonlyMap<ToolKey, CatalogTool> | undefined
  #keys: ReadonlySet<ToolKey> | undefined
  #scope: ToolScope | undefined

  constructor(project: Project, servers: readonly CatalogServer[], list: readonly CatalogTool[]) {
    this.project = project
    this.servers = Object.freeze(servers)
    this.list = Object.freeze(list)
    Object.freeze(this)
  }

  get byKey(): ReadonlyMap<ToolKey, CatalogTool> {
    this.#byKey ??= new Map(this.list.map((tool) => [tool.key, tool]))
    return this.#byKey
  }

  get keys(): ReadonlySet<ToolKey> {
    this.#keys ??= new Set(this.byKey.keys())
    return this.#keys
  }

  get scope(): ToolScope {
    this.#scope ??= new ToolScope(this.byKey.keys())
    return this.#scope
  }
}
