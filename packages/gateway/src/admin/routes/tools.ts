import { createHash } from 'node:crypto'
import type { AdminTool, AdminToolDetail, ProjectToolPatch, RouteAnswer, RouteQuery } from '@tooldex/contract/admin'
import { ToolScope } from '@tooldex/search'
import { forbidderOf, isEligible } from '../../access/eligible-tools.ts'
import type { CatalogTool } from '../../catalog/catalog.ts'
import { plainName } from '../../catalog/name-table.ts'
import { GatewayError } from '../../errors.ts'
import { isDeferred, isDeferring } from '../../exposure/listed-tool.ts'
import { resolveSettings } from '../../exposure/resolve-settings.ts'
import type { Project } from '../../model/project.ts'
import { parseToolKey, type ToolKey } from '../../model/tool-key.ts'
import { entryMetadata } from '../changes/configured-entries.ts'
import { atField, FieldRefusal, invalidField } from '../changes/invalid-request.ts'
import { ProjectChanges } from '../changes/project-changes.ts'
import { ServerChanges } from '../changes/server-changes.ts'
import { type AdminContext, type Handlers } from './admin-context.ts'
import { searchPlayground } from './playground.ts'

/** Routes about tools, and the playground. */
export function toolHandlers(context: AdminContext) {
  const servers = new ServerChanges(context.administration)
  const projects = new ProjectChanges(context.administration)
  return {
    listTools: ({ query }) => toolPage(query, context),
    getTool: ({ params }) => toolDetail(params.tool, context),
    changeTool: async ({ params, body }) => {
      const { serverId, toolName } = parseToolKey(params.tool)
      await servers.allowTool(serverId, toolName, body.allowed)
      return shown(params.tool, context)
    },
    changeProjectTool: async ({ params, body, revision }) => {
      refuseTakenNames(params.project, { [params.tool]: body }, context)
      await projects.changeTools(params.project, { [params.tool]: body }, revision)
      return shown(params.tool, context)
    },
    changeProjectTools: async ({ params, body, revision }) => {
      refuseTakenNames(params.project, body.tools, context)
      await projects.changeTools(params.project, body.tools, revision)
      return { changed: Object.keys(body.tools).length }
    },
    searchTools: ({ body, caller, request }) => searchPlayground(body, caller, context, request),
  } satisfies Partial<Handlers>
}

/**
 * Refuses a new name that another tool of the project has, with or without its server.
 * @throws FieldRefusal NAME_TAKEN
 */
function refuseTakenNames(
  id: string,
  patches: Readonly<Record<string, ProjectToolPatch>>,
  { model, catalog }: AdminContext,
): void {
  const wanted = Object.entries(patches).filter(([, { name }]) => name !== undefined)
  const servers = new Set(model.projects.get(id)?.serverIds)
  for (const [key, { name = '' }] of wanted) {
    for (const tool of catalog.tools.values()) {
      if (tool.key === key || !servers.has(tool.serverId) || !namesOf(tool).includes(name.toLowerCase())) continue
      const reason = `${JSON.stringify(name)} is the name of ${tool.key} already`
      const details = { name, tool: tool.key, reason, remedy: 'Choose another name' }
      throw new FieldRefusal('NAME_TAKEN', details, [{ path: 'name', message: reason }])
    }
  }
}

/** The names under which a tool can be called where no project renames it. */
function namesOf({ serverName, name }: CatalogTool): readonly string[] {
  const [server, own] = [plainName(serverName), plainName(name)]
  return [own, `${server}__${own}`, `${server}___${own}`].map((each) => each.toLowerCase())
}

/** The tool after a change, even if its server does not list it now. */
function shown(key: string, context: AdminContext): AdminToolDetail {
  return context.catalog.tools.has(key as ToolKey) ? toolDetail(key, context) : unlistedTool(key, context)
}

const RANKED_BY = 'bm25'

/** A page of tools. */
async function toolPage(query: RouteQuery<'listTools'>, context: AdminContext): Promise<RouteAnswer<'listTools'>> {
  const fitting = fittingTools(query, context)
  const projects = projectFacts(context)
  if (query.q !== undefined && query.q.trim() !== '') {
    const ranked = await ranking(query.q, fitting, query.limit, context)
    return { items: ranked.map((tool) => toolAnswer(tool, context, projects)), total: fitting.length }
  }
  const sorted = fitting.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const after = query.cursor === undefined ? '' : keyIn(query.cursor, query)
  const rest = sorted.filter(({ key }) => key > after)
  const items = rest.slice(0, query.limit)
  const last = items.at(-1)
  return {
    items: items.map((tool) => toolAnswer(tool, context, projects)),
    total: fitting.length,
    ...(last !== undefined && rest.length > items.length && { nextCursor: cursorAfter(last.key, query) }),
  }
}

/** One tool with its definition; also an unlisted one, if its server exists and it has settings. */
function toolDetail(key: string, context: AdminContext): AdminToolDetail {
  const tool = context.catalog.tools.get(key as ToolKey)
  if (tool !== undefined) return { ...toolAnswer(tool, context), definition: { ...tool.definition } }
  const { serverId, toolName } = parseToolKey(key)
  const isDecided =
    context.model.serverTools.get(serverId)?.[toolName] !== undefined ||
    [...context.model.projects.values()].some(({ tools }) => tools.has(key as ToolKey))
  if (isDecided) return unlistedTool(key, context)
  throw new GatewayError('TOOL_NOT_FOUND', {
    tool: key.slice(0, 200),
    reason: `no server lists ${JSON.stringify(key.slice(0, 200))}`,
    remedy: 'List or search the tools to see the existing ones',
  })
}

/** The settings of a tool that is not listed now. @throws GatewayError SERVER_NOT_FOUND */
function unlistedTool(key: string, context: AdminContext): AdminToolDetail {
  const { serverId, toolName } = parseToolKey(key)
  const server = context.entries.server(serverId)
  const definition = { name: toolName, inputSchema: { type: 'object' as const } }
  const tool: CatalogTool = {
    key: key as ToolKey,
    serverId,
    serverName: server.config.name ?? serverId,
    name: toolName,
    definition,
    repairs: [],
  }
  return { ...toolAnswer(tool, context), tokens: 0, definition: {} }
}

function toolAnswer(tool: CatalogTool, context: AdminContext, projects = projectFacts(context)): AdminTool {
  const { title, description, annotations } = tool.definition as {
    title?: string
    description?: string
    annotations?: Record<string, unknown>
  }
  const { model } = context
  return {
    key: tool.key,
    name: tool.name,
    server: tool.serverId,
    serverName: tool.serverName,
    serverState: context.statusOf(tool.serverId)?.state ?? 'unknown',
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(typeof annotations === 'object' && { annotations }),
    allowed: model.serverTools.get(tool.serverId)?.[tool.name] !== false,
    tokens: context.tokens.ofTool(tool.definition),
    repairs: [...tool.repairs],
    projects: projects.filter(({ has }) => has(tool)).map((facts) => inProject(tool, facts, context)),
  }
}

/** What the answers about the tools of a project have in common. */
interface ProjectFacts {
  readonly project: Project
  readonly has: Fits
  readonly isDeferred: Fits
  readonly overrides: ReadonlyMap<string, NonNullable<AdminTool['projects'][number]['override']>>
  readonly managedBy: 'store' | 'file' | 'built-in'
  readonly revision: () => string | undefined
}

function projectFacts(context: AdminContext): readonly ProjectFacts[] {
  const entries = new Map(context.entries.projects().map((entry) => [entry.id, entry]))
  return [...context.model.projects.values()].map((project) => {
    const entry = entries.get(project.id)
    return {
      project,
      has: ofServers(project),
      isDeferred: isDeferredIn(project),
      overrides: new Map(Object.entries(entry?.config.tools ?? {})),
      managedBy: entry?.managedBy ?? 'built-in',
      revision: () => (entry === undefined ? undefined : entryMetadata(entry, context.entries).revision),
    }
  })
}

function inProject(
  tool: CatalogTool,
  facts: ProjectFacts,
  { model, catalog }: AdminContext,
): AdminTool['projects'][number] {
  const { project, isDeferred: isDeferredHere, overrides, managedBy } = facts
  const revision = facts.revision()
  const server = catalog.servers.find(({ id }) => id === tool.serverId)
  const forbiddenBy = forbidderOf(tool, project, model.serverTools)
  const override = overrides.get(tool.key)
  return {
    project: project.id,
    eligible: isEligible(tool, project, model.serverTools, server),
    ...(forbiddenBy !== undefined && { forbiddenBy }),
    deferred: isDeferredHere(tool),
    ...(override !== undefined && { override }),
    managedBy,
    ...(revision !== undefined && { revision }),
  }
}

async function ranking(
  q: string,
  tools: readonly CatalogTool[],
  limit: number,
  context: AdminContext,
): Promise<CatalogTool[]> {
  const byKey = new Map<string, CatalogTool>(tools.map((tool) => [tool.key, tool]))
  const within = new ToolScope(byKey.keys())
  const { hits } = await context.live.catalog.provider(RANKED_BY).search({ queries: [q], maxResults: limit, within })
  return hits.flatMap(({ id }) => byKey.get(id) ?? [])
}

/** A cursor is valid for its filter only. */
function cursorAfter(key: string, query: RouteQuery<'listTools'>): string {
  return Buffer.from(JSON.stringify([fingerprint(query), key])).toString('base64url')
}

function keyIn(cursor: string, query: RouteQuery<'listTools'>): string {
  try {
    const [of, key] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    if (of === fingerprint(query) && typeof key === 'string') return key
  } catch {
    // Malformed.
  }
  throw invalidField('cursor', 'belongs to another filter; start again without it')
}

function fingerprint({ q: _q, limit: _limit, cursor: _cursor, ...filter }: RouteQuery<'listTools'>): string {
  const text = JSON.stringify(Object.entries(filter).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}

/** The filter of a list of tools. */
type ToolFilter = Omit<RouteQuery<'listTools'>, 'q' | 'limit' | 'cursor'>

type Fits = (tool: CatalogTool) => boolean

/** The tools that match all conditions of a filter. @throws GatewayError PROJECT_NOT_FOUND */
function fittingTools(filter: ToolFilter, context: AdminContext): CatalogTool[] {
  const { server, project: projectId } = filter
  const project = projectId === undefined ? undefined : atField('project', () => context.project(projectId))
  const inProjects = project === undefined ? [...context.model.projects.values()] : [project]
  const conditions = [
    ...(server === undefined ? [] : [({ serverId }: CatalogTool) => serverId === server]),
    ...(project === undefined ? [] : [ofServers(project)]),
    ...asked(filter.allowed, isAllowed(project, context)),
    ...asked(filter.readOnly, (tool) => hasHint(tool, 'readOnlyHint')),
    // A read-only tool is not destructive, even if its server declares both hints.
    ...asked(filter.destructive, (tool) => hasHint(tool, 'destructiveHint') && !hasHint(tool, 'readOnlyHint')),
    ...asked(filter.idempotent, (tool) => hasHint(tool, 'idempotentHint')),
    ...asked(filter.openWorld, (tool) => hasHint(tool, 'openWorldHint')),
    ...asked(filter.deferred, inAny(inProjects, isDeferredIn)),
    ...asked(filter.pinned, inAny(inProjects, isPinnedIn)),
  ]
  return [...context.catalog.tools.values()].filter((tool) => conditions.every((fits) => fits(tool)))
}

/** Whether a tool is deferred in a project, overrides of endpoints aside. */
function isDeferredIn(project: Project): Fits {
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

function isAllowed(project: Project | undefined, { model: { serverTools } }: AdminContext): Fits {
  if (project === undefined) return ({ serverId, name }) => serverTools.get(serverId)?.[name] !== false
  return (tool) => forbidderOf(tool, project, serverTools) === undefined
}

/** Whether a tool matches in any project that has its server. */
function inAny(projects: readonly Project[], fitsIn: (project: Project) => Fits): Fits {
  const each = projects.map((project) => ({ has: ofServers(project), fits: fitsIn(project) }))
  return (tool) => each.some(({ has, fits }) => has(tool) && fits(tool))
}

function hasHint({ definition: { annotations } }: CatalogTool, hint: string): boolean {
  return (annotations as Readonly<Record<string, unknown>> | undefined)?.[hint] === true
}
