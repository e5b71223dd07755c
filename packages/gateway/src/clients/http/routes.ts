import type { IncomingMessage, ServerResponse } from 'node:http'
import { GatewayError } from '../../errors.ts'
import { DEFAULT_ENDPOINT } from '../../model/gateway-model.ts'
import type { HttpExchange, RequestHead } from '../mcp/http-exchange.ts'
import type { StreamableHttp } from '../mcp/streamable-http.ts'
import type { PlainAnswer } from '../../telemetry/health.ts'
import type { LazySdk } from '../sdk/lazy-sdk.ts'

/** Answers a request that is not MCP: health, metrics. */
export type PlainHandler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>

/** Answers with what is told at the time of the request. */
export function plain(answer: () => PlainAnswer | Promise<PlainAnswer>): PlainHandler {
  return async (_req, res) => {
    const { status, contentType, body } = await answer()
    res.writeHead(status, { 'content-type': contentType })
    res.end(body)
  }
}

/** Where a request comes from. */
export interface Sender {
  /** The address of the client, as far as trusted proxies report it. */
  readonly address: string
  /** A valid token was shown. */
  readonly authenticated: () => void
}

/**
 * Answers everything below a first path segment (`api`, `.well-known`); false = not found. Calls `sender.authenticated`
 * once the request has shown a valid token.
 */
export type AreaHandler = (req: IncomingMessage, res: ServerResponse, sender: Sender) => boolean | Promise<boolean>

/** Method, path, guard and handler. `open` needs no token, `local` none on this machine, `client` as the endpoint decides. */
type Route =
  | readonly [method: string, path: string, guard: 'open' | 'local', handle: PlainHandler]
  | readonly [method: string, path: string, guard: 'client', handle: (exchange: HttpExchange) => void | Promise<void>]

/** The handlers of all routes. */
export interface RouteHandlers {
  readonly mcp: StreamableHttp
  readonly sdk: LazySdk
  readonly health: PlainHandler
  readonly ready: PlainHandler
  readonly metrics: PlainHandler
}

/** All routes. A path may begin with `/:endpoint`; without it, it belongs to the default endpoint. */
function routeTable({ mcp, sdk, health, ready, metrics }: RouteHandlers): readonly Route[] {
  const post = (exchange: HttpExchange) => mcp.post(exchange)
  const stream = (exchange: HttpExchange) => mcp.stream(exchange)
  const end = (exchange: HttpExchange) => mcp.end(exchange)
  const openSse = (exchange: HttpExchange) => sdk.openSse(exchange, messagesPath(exchange.req))
  const postSse = (exchange: HttpExchange) => sdk.postSse(exchange)
  return [
    ['POST', '/mcp', 'client', post],
    ['GET', '/mcp', 'client', stream],
    ['DELETE', '/mcp', 'client', end],
    ['POST', '/:endpoint/mcp', 'client', post],
    ['GET', '/:endpoint/mcp', 'client', stream],
    ['DELETE', '/:endpoint/mcp', 'client', end],
    ['GET', '/sse', 'client', openSse],
    ['POST', '/messages', 'client', postSse],
    ['GET', '/:endpoint/sse', 'client', openSse],
    ['POST', '/:endpoint/messages', 'client', postSse],
    ['GET', '/healthz', 'open', health],
    ['GET', '/readyz', 'open', ready],
    ['GET', '/metrics', 'local', metrics],
  ]
}

type Methods = ReadonlyMap<string, Route>

interface Place {
  readonly methods: Methods | undefined
  readonly endpointId: string
}

/** More paths than a gateway has endpoints. */
const MAX_CACHED_PLACES = 1_000

/** Finds the handler of a request. */
export class Routes {
  readonly #paths: ReadonlyMap<string, Methods>
  readonly #areas: ReadonlyMap<string, AreaHandler>
  readonly #places = new Map<string, Place>()

  constructor(handlers: RouteHandlers, areas: ReadonlyMap<string, AreaHandler> = new Map()) {
    this.#paths = byPath(routeTable(handlers))
    this.#areas = areas
  }

  /** The handler of everything below the first segment of the path. */
  area({ url = '/' }: RequestHead): AreaHandler | undefined {
    return this.#areas.size === 0 ? undefined : this.#areas.get(/^\/([^/?]*)/.exec(url)?.[1] ?? '')
  }

  /** @throws GatewayError PATH_NOT_FOUND, METHOD_NOT_ALLOWED */
  find(req: RequestHead): { readonly route: Route; readonly endpointId: string } {
    const { methods, endpointId } = this.#at(pathOf(req))
    if (methods === undefined) {
      throw new GatewayError('PATH_NOT_FOUND', {
        paths: [...this.#paths.keys()].map((known) => known.replace(':endpoint', '<endpoint>')),
        remedy: 'MCP clients connect to /mcp, or to /<endpoint>/mcp',
      })
    }
    const route = methods.get(req.method === 'HEAD' ? 'GET' : (req.method ?? ''))
    if (route === undefined) throw new GatewayError('METHOD_NOT_ALLOWED', { allowed: [...methods.keys()] })
    return { route, endpointId }
  }

  #at(path: string): Place {
    const known = this.#places.get(path)
    if (known !== undefined) return known
    const place = this.#find(path)
    if (this.#places.size >= MAX_CACHED_PLACES) this.#places.clear()
    if (place.methods !== undefined) this.#places.set(path, place)
    return place
  }

  #find(path: string): Place {
    const methods = this.#paths.get(path)
    if (methods !== undefined) return { methods, endpointId: DEFAULT_ENDPOINT }
    const [, first = '', ...rest] = path.split('/')
    return { methods: this.#paths.get(`/:endpoint/${rest.join('/')}`), endpointId: decoded(first) }
  }
}

/** The path of a request, without its query. */
export function pathOf({ url = '/' }: Pick<RequestHead, 'url'>): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** The path for messages beside the stream: `/messages` for `/sse`, `/<endpoint>/messages` for `/<endpoint>/sse`. */
function messagesPath(req: RequestHead): string {
  return pathOf(req).replace(/\/sse$/, '/messages')
}

function byPath(routes: readonly Route[]): ReadonlyMap<string, Methods> {
  const paths = new Map<string, Map<string, Route>>()
  for (const route of routes) {
    const methods = paths.get(route[1]) ?? new Map<string, Route>()
    methods.set(route[0], route)
    paths.set(route[1], methods)
  }
  return paths
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
