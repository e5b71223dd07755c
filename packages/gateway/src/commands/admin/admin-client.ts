import {
  ADMIN_BASE,
  type AdminRoute,
  type AdminRouteId,
  adminRoutes,
  type Problem,
  type RouteAnswer,
  type RouteBodyInput,
  type RouteParams,
  type RouteQueryInput,
} from '@tooldex/contract/admin'
import { AdminProblem } from '../terminal/exit-codes.ts'

/** Parameters, query and body of a request. */
interface RouteInput<Id extends AdminRouteId> {
  readonly params?: RouteParams<Id>
  readonly query?: RouteQueryInput<Id>
  readonly body?: RouteBodyInput<Id>
}

/**
 * Sends a request to the admin API. The host in its URL is ignored. The signal comes beside the request, because that of a
 * request which is collected no longer follows the one it was made with.
 */
export type SendRequest = (request: Request, signal?: AbortSignal) => Promise<Response>

const PAGED_LISTS = ['listServers', 'listProjects', 'listEndpoints', 'listTokens'] as const
type PagedList = (typeof PAGED_LISTS)[number]

const ANY_HOST = 'http://localhost'

/** A client of the admin API for commands: over HTTP to a running gateway, or in this process. */
export class AdminClient {
  readonly #send: SendRequest
  /** Whether requests go to a running gateway. */
  readonly isLive: boolean

  constructor(send: SendRequest, isLive: boolean) {
    this.#send = send
    this.isLive = isLive
  }

  /** Calls a route and returns its JSON; of a list in pages, all of them. @throws AdminProblem */
  async ask<Id extends AdminRouteId>(id: Id, input: RouteInput<Id> = {}): Promise<RouteAnswer<Id>> {
    if ((PAGED_LISTS as readonly AdminRouteId[]).includes(id)) {
      return (await this.#askPages(id as PagedList)) as RouteAnswer<Id>
    }
    const response = await this.open(id, input)
    if (response.status === 204) return undefined as RouteAnswer<Id>
    return (await response.json()) as RouteAnswer<Id>
  }

  async #askPages(id: PagedList): Promise<{ readonly items: readonly unknown[] }> {
    const items: unknown[] = []
    for (let cursor: string | undefined; ; ) {
      const response = await this.open(id, cursor === undefined ? {} : { query: { cursor } })
      const page = (await response.json()) as RouteAnswer<PagedList>
      items.push(...page.items)
      if (page.nextCursor === undefined) return { items }
      cursor = page.nextCursor
    }
  }

  /** Calls a route and returns the response, for answers that are not JSON or are streamed. @throws AdminProblem */
  async open<Id extends AdminRouteId>(
    id: Id,
    { params, query, body }: RouteInput<Id> = {},
    options: { readonly accept?: string; readonly signal?: AbortSignal } = {},
  ): Promise<Response> {
    const route: AdminRoute = adminRoutes[id]
    const url = new URL(ADMIN_BASE + pathOf(route, params ?? {}), ANY_HOST)

    for (const [name, value] of Object.entries((query ?? {}) as Record<string, string | number | undefined>)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const response = await this.#send(
      new Request(url, {
        method: route.method,
        headers: {
          ...(options.accept !== undefined && { accept: options.accept }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
      options.signal,
    )
    if (!response.ok) throw await problemOf(response)
    return response
  }
}

function pathOf({ path }: AdminRoute, params: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

async function problemOf(response: Response): Promise<AdminProblem> {
  const text = await response.text()
  try {
    return new AdminProblem(JSON.parse(text) as Problem)
  } catch {
    const detail = `The gateway answered with status ${response.status} and no readable body`
    return new AdminProblem({ type: '', title: 'INTERNAL', status: response.status, code: 'INTERNAL', detail })
  }
}
