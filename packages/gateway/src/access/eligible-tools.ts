import { ToolScope } from '@tooldex/search'
import type { CatalogServer, CatalogSnapshot, CatalogTool } from '../catalog/catalog.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'
import type { ToolKey } from '../model/tool-key.ts'

declare const eligible: unique symbol

/** Tools that a principal may see and call, in the project's order. Only `eligibleTools` can make one. */
export interface EligibleTools {
  readonly [eligible]: true
  readonly project: Project
  /** The available servers, including those without an eligible tool: they may have prompts and resources. */
  readonly servers: readonly CatalogServer[]
  /** The servers among them whose first list is expected: lists, searches and calls wait for them, and answers name them. */
  readonly awaited: readonly CatalogServer[]
  /** The other servers of the caller: they cannot answer now. Answers name them, and nothing of them can be used. */
  readonly unavailable: readonly CatalogServer[]
  /** The available servers with tools that the caller could use if they were not held for approval. */
  readonly holding: readonly CatalogServer[]
  readonly list: readonly CatalogTool[]
  readonly keys: ReadonlySet<ToolKey>
  readonly byKey: ReadonlyMap<ToolKey, CatalogTool>
  /** The keys as the scope of every search of this caller. */
  readonly scope: ToolScope
}

/** Decides which tools a principal may use. No other code makes this decision. Pure. */
export function eligibleTools(
  principal: Principal,
  project: Project,
  serverTools: ServerToolPermissions,
  catalog: CatalogSnapshot,
): EligibleTools {
  const within = serversWithin(principal, project, catalog)
  const servers = within.filter(isAvailable)
  const isAllowed = (tool: CatalogTool): boolean =>
    fitsToken(principal, tool) && forbidderOf(tool, project, serverTools) === undefined
  const list: CatalogTool[] = []
  for (const server of servers) {
    for (const tool of server.tools.values()) if (isAllowed(tool)) list.push(tool)
  }
  const holding = servers.filter(({ heldTools }) => heldTools !== undefined && [...heldTools.values()].some(isAllowed))
  const unavailable = servers.length === within.length ? [] : within.filter((server) => !isAvailable(server))
  return new Eligible({ project, servers, list, unavailable, holding }) as unknown as EligibleTools
}

/** A part of the caller's tools. */
export interface ToolSelection {
  readonly serverIds?: ReadonlySet<string>
  readonly readOnly?: boolean
}

/** The selected part of the tools that a caller may use. */
export function selectTools(tools: EligibleTools, { serverIds, readOnly = false }: ToolSelection): EligibleTools {
  const isOf = ({ id }: { readonly id: string }): boolean => serverIds?.has(id) ?? true
  const list = tools.list.filter((tool) => isOf({ id: tool.serverId }) && (!readOnly || isReadOnly(tool)))
  const { project, servers, unavailable, holding } = tools
  return new Eligible({
    project,
    list,
    servers: servers.filter(isOf),
    unavailable: unavailable.filter(isOf),
    holding: holding.filter(isOf),
  }) as unknown as EligibleTools
}

/** Derives keys, map and scope on first use, because most requests need only some of them. */
class Eligible implements Omit<EligibleTools, typeof eligible> {
  readonly project: Project
  readonly servers: readonly CatalogServer[]
  readonly awaited: readonly CatalogServer[]
  readonly unavailable: readonly CatalogServer[]
  readonly holding: readonly CatalogServer[]
  readonly list: readonly CatalogTool[]
  #byKey: ReadonlyMap<ToolKey, CatalogTool> | undefined
  #keys: ReadonlySet<ToolKey> | undefined
  #scope: ToolScope | undefined

  constructor({
    project,
    servers,
    list,
    unavailable,
    holding,
  }: Pick<EligibleTools, 'project' | 'servers' | 'list' | 'unavailable' | 'holding'>) {
    this.project = project
    this.unavailable = Object.freeze(unavailable)
    this.holding = Object.freeze(holding)
    this.servers = Object.freeze(servers)
    this.awaited = Object.freeze(servers.filter(({ awaitedSince }) => awaitedSince !== undefined))
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

/** States of a server that can answer, possibly after a start. */
const AVAILABLE: ReadonlySet<string> = new Set<CatalogServer['state']>(['running', 'idle', 'starting'])

/** Whether a principal may use anything of a project at all. */
export function mayUseProject(principal: Principal, project: Project): boolean {
  return principal.projects === undefined || principal.projects.has(project.id)
}

/** Whether a server can answer now or after being started on demand. */
export function isAvailable(server: CatalogServer): boolean {
  return AVAILABLE.has(server.state) && server.toolsUnknown === undefined
}

/** Servers of the project that the principal may use, in any state, in the project's order of priority. */
export function serversWithin<Server extends { readonly id: string }>(
  principal: Principal,
  project: Project,
  { servers }: { readonly servers: readonly Server[] },
): readonly Server[] {
  if (!mayUseProject(principal, project)) return []
  const byId = new Map(servers.map((server) => [server.id, server]))
  const within: Server[] = []
  for (const id of new Set(project.serverIds)) {
    const server = byId.get(id)
    if (server !== undefined && (principal.servers?.has(id) ?? true)) within.push(server)
  }
  return within
}

/** The origin of a denial: the server's permissions, for all projects, the project's, or the project's allow-list. */
type Forbidder = 'server' | 'project' | 'allow-list'

/** The origin of the denial of a tool, if it is denied. A missing entry allows, unless the project is an allow-list. */
export function forbidderOf(
  tool: CatalogTool,
  project: Project,
  serverTools: ServerToolPermissions,
): Forbidder | undefined {
  if (serverTools.get(tool.serverId)?.[tool.name] === false) return 'server'
  const allowed = project.tools.get(tool.key)?.allowed
  if (allowed === false) return 'project'
  return project.allow === 'only' && allowed !== true ? 'allow-list' : undefined
}

/** Whether the token may use this tool: its allow-list has it, and a read-only token uses read-only tools alone. */
export function fitsToken(principal: Principal, tool: CatalogTool): boolean {
  return isOnTokenList(principal, tool) && (!principal.readOnly || isReadOnly(tool))
}

/** Whether the allow-list of the token, if it has one, names the tool. */
export function isOnTokenList({ tools }: Principal, { key }: CatalogTool): boolean {
  return tools?.has(key) ?? true
}

/** Whether the approved definition says that the tool only reads. Permissions and `tool_execute_read` rest on this alone. */
export function isReadOnly({ definition }: CatalogTool): boolean {
  return definition.annotations?.['readOnlyHint'] === true
}
