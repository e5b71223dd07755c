import type { ConfigJsonSchema, ConfigProblem } from '@tooldex/contract'
import { ADMIN_BASE, type AdminRoute, type AdminRouteId, adminRoutes, readWith } from '@tooldex/contract/admin'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { GatewayError } from '../../errors.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
import { InvalidRequest } from '../changes/invalid-request.ts'
import { AdminContext, type AdminParts, type Ask, type Handlers } from '../routes/admin-context.ts'
import { auditHandlers } from '../routes/audit.ts'
import { endpointHandlers } from '../routes/endpoints.ts'
import { gatewayHandlers } from '../routes/gateway.ts'
import { importExportHandlers } from '../routes/import-export.ts'
import { learnedHandlers } from '../routes/learned.ts'
import { machineHandlers } from '../routes/machine.ts'
import { projectHandlers } from '../routes/projects.ts'
import { registryHandlers } from '../routes/servers/registry.ts'
import { reviewHandlers } from '../routes/review.ts'
import { findingHandlers } from '../routes/findings.ts'
import { savingsHandlers } from '../routes/savings.ts'
import { serverTestHandlers } from '../routes/servers/server-tests.ts'
import { serverHandlers } from '../routes/servers/servers.ts'
import { sessionHandlers } from '../routes/sessions.ts'
import { tokenHandlers } from '../routes/tokens.ts'
import { toolHandlers } from '../routes/tools.ts'
import { triedCallHandlers } from '../routes/tried-calls.ts'
import { usageHandlers } from '../routes/usage.ts'
import { audited, refuseRole, targetOf } from './acts.ts'
import { problemResponse } from '../routes/problem-response.ts'

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
    ...serverTestHandlers(context),
    ...registryHandlers(context),
    ...machineHandlers(context),
    ...toolHandlers(context),
    ...triedCallHandlers(context),
    ...reviewHandlers(context),
    ...projectHandlers(context),
    ...endpointHandlers(context),
    ...tokenHandlers(context),
    ...importExportHandlers(context),
    ...auditHandlers(context),
    ...usageHandlers(context),
    ...gatewayHandlers(context),
    ...findingHandlers(context),
    ...savingsHandlers(context),
    ...learnedHandlers(context),
    ...sessionHandlers(context),
  }
  const app = new Hono<Bindings>()
  for (const [id, route] of inOrder(Object.entries(adminRoutes) as [AdminRouteId, AdminRoute][])) {
    app.on(route.method, honoPath(route), async (c) => answer(id, route, handlers, c, context))
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
  context: AdminContext,
): Promise<Response> {
  const { caller } = c.env
  const request = c.req.raw
  if (route.access !== 'open' && caller === undefined) throw new GatewayError('TOKEN_MISSING')
  const given = c.req.param() as Record<string, string>
  if (caller !== undefined && route.access !== 'open') {
    refuseRole({ id, caller, request, target: targetOf(given, undefined) }, context)
  }
  const read = await readRequest(route, given, request)
  // The type of the table pairs each handler with the schemas of its route.
  const handle = handlers[id] as (ask: unknown) => unknown
  const { dryRun, secrets } = (read.query ?? {}) as { readonly dryRun?: boolean; readonly secrets?: boolean }
  const [isDryRun, readsSecrets] = [dryRun === true, secrets === true]
  const target = readsSecrets ? 'secrets' : targetOf(read.params, read.body)
  const act = { id, route, caller, request, target, isDryRun, readsSecrets }
  const result = await audited(act, context, async () => handle({ ...read, caller, request } as Ask<AdminRouteId>))
  const isChange = request.method !== 'GET' && route.access !== 'open'
  if (isChange)
    context.parts.log.info({ route: id, by: caller?.tokenId, target: read.params }, 'the admin API was used')
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

const MAX_BODY_BYTES = 4 * 1024 * 1024
const MAX_DEPTH = 64

/** A request, checked against the schemas of its route. */
interface ReadRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** The value of `If-Match`, without quotes. */
  readonly revision?: string
}

/** Reads and checks a request. @throws InvalidRequest with every problem; GatewayError REQUEST_NOT_JSON, REQUEST_TOO_LARGE */
async function readRequest(route: AdminRoute, params: Record<string, string>, request: Request): Promise<ReadRequest> {
  const problems: ConfigProblem[] = []
  const read = (schema: z.ZodType | undefined, value: unknown): unknown => {
    if (schema === undefined) return undefined
    const checked = readWith(
      schema,
      value,
      () => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as ConfigJsonSchema,
    )
    if ('problems' in checked) problems.push(...checked.problems)
    return 'problems' in checked ? undefined : checked.value
  }
  const query = read(route.query ?? NOTHING, queryOf(request, problems))
  const body = read(route.body, route.body === undefined ? undefined : await bodyOf(route, request))
  if (problems.length > 0) throw new InvalidRequest(problems)
  const revision = route.heedsRevision === true ? revisionIn(request) : undefined
  return { params: read(route.params, params), query, body, ...(revision !== undefined && { revision }) }
}

const NOTHING = z.strictObject({})

function queryOf(request: Request, problems: ConfigProblem[]): Record<string, string> {
  const query = new Map<string, string>()
  for (const [name, value] of new URL(request.url).searchParams) {
    if (query.has(name)) problems.push({ path: [name], message: 'is given twice' })
    query.set(name, value)
  }
  return Object.fromEntries(query)
}

async function bodyOf(route: AdminRoute, request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw new GatewayError('REQUEST_NOT_JSON', { remedy: 'Send it with Content-Type: application/json' })
  }
  const limit = route.maxBodyBytes ?? MAX_BODY_BYTES
  const text = await textOf(request, limit)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InvalidRequest([{ path: [], message: 'the body is not valid JSON' }])
  }
  if (isTooDeep(value, MAX_DEPTH)) throw new InvalidRequest([{ path: [], message: 'the JSON is nested too deep' }])
  return value
}

/** Reads the body and never buffers more than the limit. */
async function textOf(request: Request, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > limit) throw new GatewayError('REQUEST_TOO_LARGE', { limit, remedy: `Send at most ${limit} bytes` })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function isTooDeep(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return left === 0 || Object.values(value).some((each) => isTooDeep(each, left - 1))
}

function revisionIn(request: Request): string | undefined {
  const text = request.headers.get('if-match')?.trim()
  return text === undefined ? undefined : text.replace(/^(?:W\/)?"(.*)"$/, '$1')
}
