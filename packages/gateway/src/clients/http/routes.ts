import type { IncomingMessage, ServerResponse } from 'node:http'
import { DEFAULT_ENDPOINT } from '../../model/gateway-model.ts'
import { GatewayError } from '../../errors.ts'
import type { Exchange, RequestHead } from './exchange.ts'

/** A page of ours that is no MCP: health, metrics. */
export type PlainHandler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>

/** A part of the address space that is no MCP. Calls `proven` as soon as it knows who asks. */
export type AreaHandler = (req: IncomingMessage, res: ServerResponse, proven: () => void) => boolean | Promise<boolean>

/** Method, path, who may come in, and what answers: `open` anybody, `local` this machine or a token, `client` whoever the endpoint admits. */
export type Route =
  | readonly [method: string, path: string, guard: 'open' | 'local', handle: PlainHandler]
  | readonly [method: string, path: string, guard: 'client', handle: (exchange: Exchange) => void | Promise<void>]

/** What answers a client's request, and the endpoint that it is for. */
export interface ClientRoute {
  readonly endpointId: string
  readonly handle: (exchange: Exchange) => void | Promise<void>
}

type Methods = ReadonlyMap<string, Route>

interface Place {
  readonly methods: Methods | undefined
  readonly endpointId: string
}

/** More paths than a gateway has endpoints; whoever asks for others is none of ours. */
const MOST_PLACES = 1_000

/** Finds what answers a request. A path may begin with `/:endpoint`; without it, it is the default endpoint's. */
export class Routes {
  readonly #paths: ReadonlyMap<string, Methods>
  readonly #areas: ReadonlyMap<string, AreaHandler>
  /** Paths that were asked for. Taking them apart with every request would cost more than all that is decided here. */
  readonly #places = new Map<string, Place>()

  constructor(routes: readonly Route[], areas: ReadonlyMap<string, AreaHandler> = new Map()) {
    this.#paths = byPath(routes)
    this.#areas = areas
  }

  /** What answers for everything below the first segment of the path. */
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

  /** As `find`, for requests that are an endpoint's. @throws GatewayError PATH_NOT_FOUND, METHOD_NOT_ALLOWED, INTERNAL */
  findForClient(req: RequestHead): ClientRoute {
    const { route, endpointId } = this.find(req)
    if (route[2] !== 'client') throw new GatewayError('INTERNAL')
    return { endpointId, handle: route[3] }
  }

  /** Whether it is found, and is an endpoint's. */
  isForClients(req: RequestHead): boolean {
    return this.#at(pathOf(req)).methods?.get(req.method ?? '')?.[2] === 'client'
  }

  #at(path: string): Place {
    const known = this.#places.get(path)
    if (known !== undefined) return known
    const place = this.#find(path)
    if (this.#places.size >= MOST_PLACES) this.#places.clear()
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

/** The path of a request, without what is asked behind it. */
function pathOf({ url = '/' }: RequestHead): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** Messages are posted beside the stream: `/messages` for `/sse`, `/<endpoint>/messages` for `/<endpoint>/sse`. */
export function messagesPath(req: RequestHead): string {
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
