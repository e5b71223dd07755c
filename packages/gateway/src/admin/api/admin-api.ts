import { ADMIN_BASE, type AdminRoute, type AdminRouteId, adminRoutes } from '@tooldex/contract/admin'
import { type Context, Hono } from 'hono'
import { GatewayError } from '../../errors.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
import { type AdminParts, AdminContext } from '../routes/admin-context.ts'
import { auditHandlers } from '../routes/audit.ts'
import { endpointHandlers } from '../routes/endpoints.ts'
import { gatewayHandlers } from '../routes/gateway.ts'
import type { Ask, Handlers } from '../routes/handlers.ts'
import { importExportHandlers } from '../routes/import-export.ts'
import { projectHandlers } from '../routes/projects.ts'
import { savingsHandlers } from '../routes/savings.ts'
import { serverHandlers } from '../routes/servers.ts'
import { sessionHandlers } from '../routes/sessions.ts'
import { tokenHandlers } from '../routes/tokens.ts'
import { toolHandlers } from '../routes/tools.ts'
import { problemResponse } from './problem-response.ts'
import { readRequest } from './read-request.ts'

/** Answers requests to `/api/v1`. Without a caller, only routes with open access answer. */
export type AdminApi = (request: Request, caller?: AdminCaller) => Promise<Response>

interface Bindings {
  Bindings: { readonly caller: AdminCaller | undefined }
}

/** Creates the admin API: every route of the contract, and no other. */
export function createAdminApi(parts: AdminParts): AdminApi {
  const context = new AdminContext(parts)
  const handlers: Handlers = {
    ...serverHandlers(context),
    ...toolHandlers(context),
    ...projectHandlers(context),
    ...endpointHandlers(context),
    ...tokenHandlers(context),
    ...importExportHandlers(context),
    ...auditHandlers(context),
    ...gatewayHandlers(context),
    ...savingsHandlers(context),
    ...sessionHandlers(context),
  }
  const app = new Hono<Bindings>()
  for (const [id, route] of inOrder(Object.entries(adminRoutes) as [AdminRouteId, AdminRoute][])) {
    app.on(route.method, honoPath(route), async (c) => answer(id, route, handlers, c, parts))
  }
  app.notFound((c) => problemResponse(notFound(c.req.raw), parts.log))
  app.onError((error) => problemResponse(error, parts.log))
  return async (request, caller) => withSecurityHeaders(await app.fetch(request, { caller }))
}

async function answer(
  id: AdminRouteId,
  route: AdminRoute,
  handlers: Handlers,
  c: Context<Bindings>,
  { log }: AdminParts,
): Promise<Response> {
  const { caller } = c.env
  const request = c.req.raw
  if (route.access !== 'open' && caller === undefined) throw new GatewayError('TOKEN_MISSING')
  const read = await readRequest(route, c.req.param() as Record<string, string>, request)
  // The type of the table pairs each handler with the schemas of its route.
  const handle = handlers[id] as (ask: unknown) => unknown
  const result = await handle({ ...read, caller, request } as Ask<AdminRouteId>)
  const isChange = request.method !== 'GET' && route.access !== 'open'
  if (isChange) log.info({ route: id, by: caller?.tokenId, target: read.params }, 'the admin API was used')
  return result instanceof Response ? result : jsonResponse(route, result)
}

function jsonResponse({ responses }: AdminRoute, result: unknown): Response {
  const [status = 200] = Object.keys(responses).map(Number)
  if (result === undefined) return new Response(null, { status })
  const revision = (result as { revision?: unknown }).revision
  const headers: Record<string, string> = typeof revision === 'string' ? { etag: `"${revision}"` } : {}
  return Response.json(result, { status, headers })
}

/** Keeps responses out of caches and stops content sniffing. */
function withSecurityHeaders(response: Response): Response {
  response.headers.set('cache-control', 'no-store')
  response.headers.set('x-content-type-options', 'nosniff')
  return response
}

/** Routes with fewer parameters come first: `/servers/preview` is not a server. */
function inOrder(routes: [AdminRouteId, AdminRoute][]): [AdminRouteId, AdminRoute][] {
  const parameters = ({ path }: AdminRoute): number => path.split('{').length
  return routes.toSorted(([, a], [, b]) => parameters(a) - parameters(b))
}

function honoPath({ path }: AdminRoute): string {
  return ADMIN_BASE + path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function notFound(request: Request): GatewayError {
  const { pathname } = new URL(request.url)
  const segments = pathname.slice(ADMIN_BASE.length).split('/').length
  const same = (Object.values(adminRoutes) as AdminRoute[]).filter(
    ({ path }) => path.split('/').length === segments && fitsPath(path, pathname.slice(ADMIN_BASE.length)),
  )
  if (same.length === 0) return new GatewayError('PATH_NOT_FOUND', { remedy: `See ${ADMIN_BASE}/openapi.json` })
  return new GatewayError('METHOD_NOT_ALLOWED', { allowed: same.map(({ method }) => method) })
}

function fitsPath(pattern: string, path: string): boolean {
  const given = path.split('/')
  return pattern.split('/').every((segment, index) => segment.startsWith('{') || segment === given[index])
}
