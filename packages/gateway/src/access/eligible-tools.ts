import { ToolScope } from '@tooldex/search'
import type { ToolRule } from '@tooldex/search/engine'
import type { CatalogServer, CatalogSnapshot, CatalogTool } from '../catalog/catalog.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'
import { toolKeyParts } from '../model/tool-key.ts'
import { type EligibilityRule, eligibilityRule, narrowedRule, type ToolSelection, toolRule } from './tool-rule.ts'
import { ToolBitmap, ToolPositions } from './tool-positions.ts'

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
  /** How many tools there are. */
  readonly size: number
  /** All tools. Made when it is read, and kept only while it is in use: that of a large project takes more than all the rest. */
  readonly list: readonly CatalogTool[]
  has(key: string): boolean
  get(key: string): CatalogTool | undefined
  /** The tools of one server. */
  of(serverId: string): Iterable<CatalogTool>
  /** The keys as the scope of every search of this caller. */
  readonly scope: ToolScope
  /** The same tools as a rule, for an index that is elsewhere. */
  readonly rule: ToolRule
  /** A part of these tools. */
  select(selection: ToolSelection): EligibleTools
}

/**
 * Decides which tools a principal may use. No other code makes this decision. Pure.
 * @param positions those of the catalog, where they are known
 */
export function eligibleTools(
  principal: Principal,
  project: Project,
  serverTools: ServerToolPermissions,
  catalog: CatalogSnapshot,
  positions: ToolPositions = new ToolPositions(catalog.servers),
): EligibleTools {
  const within = serversWithin(principal, project, catalog)
  const servers = within.filter(isAvailable)
  const isAllowed = (tool: CatalogTool): boolean =>
    fitsToken(principal, tool) && forbidderOf(tool, project, serverTools) === undefined
  const holding = servers.filter(({ heldTools }) => heldTools !== undefined && [...heldTools.values()].some(isAllowed))
  const unavailable = servers.length === within.length ? [] : within.filter((server) => !isAvailable(server))
  const ruled = (): EligibilityRule => eligibilityRule(principal, project, serverTools, servers)
  const members = membersOf(ruled(), positions)
  return new Eligible({ project, servers, unavailable, holding, positions, members, ruled }) as unknown as EligibleTools
}

/** Applies a rule to all tools at once: its cost is that of the servers and of the permissions, not of the tools. */
function membersOf({ serverIds, denied, only, readOnly }: EligibilityRule, positions: ToolPositions): ToolBitmap {
  const members = new ToolBitmap(positions.size)
  if (only === undefined) for (const id of serverIds) members.addRange(positions.rangeOf(id))
  for (const key of only ?? []) {
    const position = serverIds.has(toolKeyParts(key).serverId) ? positions.of(key) : undefined
    if (position !== undefined) members.add(position)
  }
  for (const key of denied) {
    const position = positions.of(key)
    if (position !== undefined) members.delete(position)
  }
  return readOnly ? members.and(positions.matching(isReadOnly)) : members
}

/** Whether a project has a tool, for a token without restrictions: what `eligibleTools` decides, for one tool. */
export function isEligible(
  tool: CatalogTool,
  project: Project,
  serverTools: ServerToolPermissions,
  server: CatalogServer | undefined,
): boolean {
  const isServed = server !== undefined && isAvailable(server) && server.tools.get(tool.name) === tool
  return isServed && project.serverIds.includes(server.id) && forbidderOf(tool, project, serverTools) === undefined
}

interface EligibleParts extends Pick<EligibleTools, 'project' | 'servers' | 'unavailable' | 'holding'> {
  readonly positions: ToolPositions
  readonly members: ToolBitmap
  readonly ruled: () => EligibilityRule
}

/** A bitmap of tools. Derives list, scope and rule on first use, because most requests need only some of them. */
class Eligible implements Omit<EligibleTools, typeof eligible> {
  readonly project: Project
  readonly servers: readonly CatalogServer[]
  readonly awaited: readonly CatalogServer[]
  readonly unavailable: readonly CatalogServer[]
  readonly holding: readonly CatalogServer[]
  readonly size: number
  readonly #parts: EligibleParts
  #list: WeakRef<readonly CatalogTool[]> | undefined
  #scope: ToolScope | undefined
  #rule: ToolRule | undefined

  constructor(parts: EligibleParts) {
    this.#parts = parts
    this.project = parts.project
    this.unavailable = Object.freeze(parts.unavailable)
    this.holding = Object.freeze(parts.holding)
    this.servers = Object.freeze(parts.servers)
    this.awaited = Object.freeze(parts.servers.filter(({ awaitedSince }) => awaitedSince !== undefined))
    this.size = parts.members.count()
    Object.freeze(this)
  }

  get list(): readonly CatalogTool[] {
    const known = this.#list?.deref()
    if (known !== undefined) return known
    const list = Object.freeze(this.servers.flatMap(({ id }) => [...this.of(id)]))
    this.#list = new WeakRef(list)
    return list
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  get(key: string): CatalogTool | undefined {
    return this.#parts.positions.find(key, this.#parts.members)
  }

  of(serverId: string): Iterable<CatalogTool> {
    return this.#parts.positions.toolsOf(serverId, this.#parts.members)
  }

  get scope(): ToolScope {
    this.#scope ??= new ToolScope(() => this.list.map(({ key }) => key))
    return this.#scope
  }

  get rule(): ToolRule {
    this.#rule ??= toolRule(this.#parts.ruled())
    return this.#rule
  }

  select(selection: ToolSelection): EligibleTools {
    const { project, servers, unavailable, holding, positions, ruled } = this.#parts
    const isOf = ({ id }: { readonly id: string }): boolean => selection.serverIds?.has(id) ?? true
    const narrowed = (): EligibilityRule => narrowedRule(ruled(), selection)
    return new Eligible({
      project,
      servers: servers.filter(isOf),
      unavailable: unavailable.filter(isOf),
      holding: holding.filter(isOf),
      positions,
      members: membersOf(narrowed(), positions),
      ruled: narrowed,
    }) as unknown as EligibleTools
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
