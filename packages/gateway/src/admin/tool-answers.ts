import { createHash } from 'node:crypto'
import { ToolScope } from '@tooldex/search'
import type { AdminTool, AdminToolDetail, RouteAnswer, RouteQuery } from '@tooldex/contract/admin'
import type { Project } from '../model/project.ts'
import { forbidderOf } from '../access/tool-permission.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import { type ToolKey, parseToolKey } from '../model/tool-key.ts'
import { GatewayError } from '../errors.ts'
import { invalidField } from './invalid-request.ts'
import type { AdminPicture } from './picture.ts'
import { fittingTools, isDeferredIn } from './tool-filter.ts'

const RANKED_BY = 'bm25'

/** A page of tools. */
export async function toolPage(
  query: RouteQuery<'listTools'>,
  picture: AdminPicture,
): Promise<RouteAnswer<'listTools'>> {
  const fitting = fittingTools(query, picture)
  if (query.q !== undefined && query.q.trim() !== '') {
    const ranked = await ranking(query.q, fitting, query.limit, picture)
    return { items: ranked.map((tool) => toolAnswer(tool, picture)), total: fitting.length }
  }
  const sorted = fitting.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const after = query.cursor === undefined ? '' : keyIn(query.cursor, query)
  const rest = sorted.filter(({ key }) => key > after)
  const items = rest.slice(0, query.limit)
  const last = items.at(-1)
  return {
    items: items.map((tool) => toolAnswer(tool, picture)),
    total: fitting.length,
    ...(last !== undefined && rest.length > items.length && { nextCursor: cursorAfter(last.key, query) }),
  }
}

/** One tool, whole; also one that nobody lists now, if its server exists and somebody decided about it. */
export function toolDetail(key: string, picture: AdminPicture): AdminToolDetail {
  const tool = picture.catalog.tools.get(key as ToolKey)
  if (tool !== undefined) return { ...toolAnswer(tool, picture), definition: { ...tool.definition } }
  const { serverId, toolName } = parseToolKey(key)
  const isDecided =
    picture.model.serverTools.get(serverId)?.[toolName] !== undefined ||
    [...picture.model.projects.values()].some(({ tools }) => tools.has(key as ToolKey))
  if (isDecided) return unlistedTool(key, picture)
  throw new GatewayError('TOOL_NOT_FOUND', {
    tool: key.slice(0, 200),
    reason: `no server lists ${JSON.stringify(key.slice(0, 200))}`,
    remedy: 'List or search the tools to see which there are',
  })
}

/** What is decided about a tool that is not listed now. @throws GatewayError SERVER_NOT_FOUND */
export function unlistedTool(key: string, picture: AdminPicture): AdminToolDetail {
  const { serverId, toolName } = parseToolKey(key)
  const server = picture.entries.server(serverId)
  const definition = { name: toolName, inputSchema: { type: 'object' as const } }
  const tool: CatalogTool = {
    key: key as ToolKey,
    serverId,
    serverName: server.config.name ?? serverId,
    name: toolName,
    definition,
    repairs: [],
  }
  return { ...toolAnswer(tool, picture), tokens: 0, definition: {} }
}

function toolAnswer(tool: CatalogTool, picture: AdminPicture): AdminTool {
  const { title, description, annotations } = tool.definition as {
    title?: string
    description?: string
    annotations?: Record<string, unknown>
  }
  const { model } = picture
  const projects = [...model.projects.values()].filter((project) => project.serverIds.includes(tool.serverId))
  return {
    key: tool.key,
    name: tool.name,
    server: tool.serverId,
    serverName: tool.serverName,
    serverState: picture.statusOf(tool.serverId)?.state ?? 'unknown',
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(typeof annotations === 'object' && { annotations }),
    allowed: model.serverTools.get(tool.serverId)?.[tool.name] !== false,
    tokens: picture.tokens.ofTool(tool.definition),
    repairs: [...tool.repairs],
    projects: projects.map((project) => inProject(tool, project, picture)),
  }
}

function inProject(tool: CatalogTool, project: Project, picture: AdminPicture): AdminTool['projects'][number] {
  const forbiddenBy = forbidderOf(tool, project, picture.model.serverTools)
  const entry = picture.entries.projects().find(({ id }) => id === project.id)
  const override = new Map(Object.entries(entry?.config.tools ?? {})).get(tool.key)
  return {
    project: project.id,
    eligible: picture.eligible(project).keys.has(tool.key),
    ...(forbiddenBy !== undefined && { forbiddenBy }),
    deferred: isDeferredIn(project)(tool),
    ...(override !== undefined && { override }),
    managedBy: entry?.managedBy ?? 'built-in',
  }
}

async function ranking(
  q: string,
  tools: readonly CatalogTool[],
  limit: number,
  picture: AdminPicture,
): Promise<CatalogTool[]> {
  const byKey = new Map<string, CatalogTool>(tools.map((tool) => [tool.key, tool]))
  const within = new ToolScope(byKey.keys())
  const { hits } = await picture.live.catalog.provider(RANKED_BY).search({ queries: [q], maxResults: limit, within })
  return hits.flatMap(({ id }) => byKey.get(id) ?? [])
}

/** A cursor belongs to its filter. */
function cursorAfter(key: string, query: RouteQuery<'listTools'>): string {
  return Buffer.from(JSON.stringify([fingerprint(query), key])).toString('base64url')
}

function keyIn(cursor: string, query: RouteQuery<'listTools'>): string {
  try {
    const [of, key] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[]
    if (of === fingerprint(query) && typeof key === 'string') return key
  } catch {
    // Nobody here made it.
  }
  throw invalidField('cursor', 'did not come with this filter; begin again without it')
}

function fingerprint({ q: _q, limit: _limit, cursor: _cursor, ...filter }: RouteQuery<'listTools'>): string {
  const text = JSON.stringify(Object.entries(filter).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return createHash('sha256').update(text).digest('base64url').slice(0, 12)
}
