import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DEFAULT_ENDPOINT } from '../access/model.ts'
import type { Principal } from '../access/principal.ts'
import { GatewayError } from '../errors.ts'
import { http } from '../node-http.ts'
import { type Answering, answeringWith } from './answer.ts'
import { AttemptLimit } from './attempt-limit.ts'
import { ConnectedClients } from './connected-clients.ts'
import { type Exchange, header, refuse, sendJson } from './exchange.ts'
import { failureHeaders } from './failure-headers.ts'
import { type Access, admit, checkSource, isLocal, LOOPBACK_NAMES } from './guards.ts'
import type { ListenLimits } from './http-modern.ts'
import { replyMessage } from './json-rpc.ts'
import { LeanPath } from './lean-path.ts'
import { LegacySessions, type SessionLimits } from './legacy-sessions.ts'
import { closeAfterUnread, readJson } from './request-body.ts'
import { type ClientNotifier, type RequestHandler, RpcError } from './requests/request-handler.ts'
import type { DownstreamLog } from './rpc-errors.ts'
import type { SdkPath } from './sdk-path.ts'

/** A page of ours that is no MCP: health, metrics. */
export type PlainHandler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>

/** A part of the address space that is no MCP. */
export type AreaHandler = (req: IncomingMessage, res: ServerResponse) => boolean | Promise<boolean>

/** Everything that the HTTP side is handed. */
export interface HttpServerOptions {
  readonly handler: RequestHandler
  readonly access: Access
  readonly log: DownstreamLog
  readonly health: PlainHandler
  readonly ready: PlainHandler
  readonly metrics: PlainHandler
  /** What lies below a first path segment (`api`, `.well-known`) and answers for itself; false = nothing lives there. */
  readonly areas?: ReadonlyMap<string, AreaHandler>
  /** Says yes or no to a request from an address, and to one of a token. @throws GatewayError RATE_LIMITED */
  readonly limits?: { address(address: string): void; token(tokenId: string): void }
  /** The address of what says who gives out tokens; absent where nobody but us does. */
  readonly metadataUrl?: (req: IncomingMessage) => string
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 7420; 0 = any free one. */
  readonly port?: number
  /** Host names, beside those of loopback and `host`, under which we may be called and whose web pages may call us. */
  readonly allowedHosts?: readonly string[]
  /** Default 4 MB. */
  readonly maxBodyBytes?: number
  readonly sessionLimits?: SessionLimits
  readonly listenLimits?: ListenLimits
  /** Whether a token that opened a session or stream is still good; asked with every sweep. Default: it is. */
  readonly isValid?: (principal: Principal, endpointId: string) => boolean
  readonly now?: () => number
  readonly clients?: ConnectedClients
  /** false = every request through the SDK: for comparing the two. */
  readonly leanPath?: boolean
}

/** For clients that send slowly, on purpose or not. */
const PATIENCE = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  keepAliveTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
} as const

const MAX_BODY_BYTES = 4 * 1024 * 1024
const SWEEP_MS = 1_000
const DRAIN_MS = 2_000

/** Method, path, who may come in, and what answers: `open` anybody, `local` this machine or a token, `client` whoever the endpoint admits. */
type Route =
  | readonly [method: string, path: string, guard: 'open' | 'local', handle: PlainHandler]
  | readonly [method: string, path: string, guard: 'client', handle: (exchange: Exchange) => void | Promise<void>]

/** How clients reach the gateway over HTTP: both eras on one URL, and the old HTTP+SSE. */
export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #answering: Answering
  readonly #server: Server
  readonly #sessions: LegacySessions
  readonly #clients: ConnectedClients
  readonly #lean: LeanPath | undefined
  readonly #attempts: AttemptLimit
  readonly #names: ReadonlySet<string>
  readonly #routes: ReadonlyMap<string, ReadonlyMap<string, Route>>
  readonly #open = new Set<ServerResponse>()
  #drained: (() => void) | undefined
  #sweeper: NodeJS.Timeout | undefined
  #sdk: SdkPath | undefined

  constructor(options: HttpServerOptions) {
    const now = options.now ?? (() => performance.now())
    this.#options = options
    this.#answering = answeringWith(options)
    this.#clients = options.clients ?? new ConnectedClients()
    this.#sessions = new LegacySessions(now, options.sessionLimits)
    this.#lean = options.leanPath === false ? undefined : new LeanPath(this.#answering, this.#sessions)
    this.#attempts = new AttemptLimit(now)
    this.#names = new Set([...LOOPBACK_NAMES, ...(options.allowedHosts ?? []), options.host ?? []].flat())
    this.#routes = byPath(this.#routeTable())
    this.#server = http.createServer(PATIENCE)
    this.#server.on('request', (req, res) => void this.#serve(req, res))
  }

  /** The whole surface. A path may begin with `/:endpoint`; without it, it is the default endpoint's. */
  #routeTable(): readonly Route[] {
    const { health, ready, metrics } = this.#options
    const bySdk = (answer: (sdk: SdkPath, exchange: Exchange) => void | Promise<void>) => (exchange: Exchange) =>
      this.#bySdk(exchange, answer)
    const throughSdk = bySdk((sdk, exchange) => sdk.post(exchange))
    const mcp = (exchange: Exchange) => this.#lean?.tryAnswer(exchange) ?? throughSdk(exchange)
    const listen = bySdk((sdk, exchange) => sdk.listen(exchange))
    const end = bySdk((sdk, exchange) => sdk.end(exchange))
    const openSse = bySdk((sdk, exchange) => sdk.openSse(exchange, messagesPath(exchange.req)))
    const postSse = bySdk((sdk, exchange) => sdk.postSse(exchange))
    return [
      ['POST', '/mcp', 'client', mcp],
      ['GET', '/mcp', 'client', listen],
      ['DELETE', '/mcp', 'client', end],
      ['POST', '/:endpoint/mcp', 'client', mcp],
      ['GET', '/:endpoint/mcp', 'client', listen],
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

  /** Tells connected clients of changes. */
  get notifier(): ClientNotifier {
    return this.#clients
  }

  /** How many sessions of the older era are open. */
  get sessionCount(): number {
    return this.#sessions.size
  }

  /** Resolves to the address once connections are taken. */
  async listen(): Promise<{ host: string; port: number; url: string }> {
    const { host = '127.0.0.1', port = 7420 } = this.#options
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => resolve(void this.#server.off('error', reject)))
    })
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref()
    const address = this.#server.address() as AddressInfo
    const name = address.family === 'IPv6' ? `[${address.address}]` : address.address
    return { host: address.address, port: address.port, url: `http://${name}:${address.port}` }
  }

  /** Takes no more connections, ends sessions and streams, and gives open requests a moment to finish. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#sessions.endAll()
    await this.#sdk?.close()
    if (this.#open.size > 0) {
      const impatience = setTimeout(() => this.#drained?.(), DRAIN_MS).unref()
      await new Promise<void>((resolve) => (this.#drained = resolve))
      clearTimeout(impatience)
    }
    this.#server.closeAllConnections()
    await closed
  }

  /** Ends what nobody uses and what belongs to tokens that are not valid any more. Happens every second by itself. */
  sweep(): void {
    const isValid = this.#options.isValid ?? (() => true)
    this.#sessions.sweep(isValid)
    this.#sdk?.sweep(isValid)
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body: unknown
    this.#open.add(res)
    res.once('close', () => {
      this.#open.delete(res)
      if (this.#open.size === 0) this.#drained?.()
    })
    try {
      checkSource(req, this.#names)
      this.#options.limits?.address(req.socket.remoteAddress ?? '')
      const area = this.#area(req)
      if (area !== undefined && (await area(req, res))) return
      const { route, endpointId } = this.#route(req)
      if (route[2] !== 'client') {
        if (route[2] === 'local' && !isLocal(req)) await this.#options.access.authenticate(header(req, 'authorization'))
        await route[3](req, res)
        return
      }
      const admitting = admit(req, endpointId, this.#options.access, this.#attempts)
      // Nobody waits, not even a moment, for a token of ours.
      const admitted = admitting instanceof Promise ? await admitting : admitting
      this.#options.limits?.token(admitted.principal.tokenId)
      if (route[0] === 'POST') body = await readJson(req, this.#options.maxBodyBytes ?? MAX_BODY_BYTES)
      await route[3]({ req, res, body, ...admitted })
    } catch (error) {
      this.#fail(req, res, error, body)
    }
  }

  /** Loads the SDK's server when it is first needed: 15 MB that a gateway at rest, or of plain clients, never takes. */
  async #bySdk(exchange: Exchange, answer: (sdk: SdkPath, exchange: Exchange) => void | Promise<void>): Promise<void> {
    this.#sdk ??= await this.#loadSdk()
    // Who left meanwhile would never be noticed to leave.
    if (!exchange.res.destroyed) await answer(this.#sdk, exchange)
  }

  async #loadSdk(): Promise<SdkPath> {
    const { SdkPath } = await import('./sdk-path.ts')
    const { listenLimits } = this.#options
    // Whoever waited for the same load may have been faster.
    this.#sdk ??= new SdkPath({
      answering: this.#answering,
      sessions: this.#sessions,
      clients: this.#clients,
      listenLimits,
    })
    return this.#sdk
  }

  #area({ url = '/' }: IncomingMessage): AreaHandler | undefined {
    const { areas } = this.#options
    return areas === undefined ? undefined : areas.get(/^\/([^/?]*)/.exec(url)?.[1] ?? '')
  }

  /** @throws GatewayError PATH_NOT_FOUND, METHOD_NOT_ALLOWED */
  #route(req: IncomingMessage): { route: Route; endpointId: string } {
    const path = pathOf(req)
    const isDefault = this.#routes.has(path)
    const [, first = '', ...rest] = isDefault ? [] : path.split('/')
    const methods = this.#routes.get(isDefault ? path : `/:endpoint/${rest.join('/')}`)
    if (methods === undefined) {
      throw new GatewayError('PATH_NOT_FOUND', {
        paths: [...this.#routes.keys()].map((known) => known.replace(':endpoint', '<endpoint>')),
        remedy: 'MCP clients connect to /mcp, or to /<endpoint>/mcp',
      })
    }
    const route = methods.get(req.method === 'HEAD' ? 'GET' : (req.method ?? ''))
    if (route === undefined) throw new GatewayError('METHOD_NOT_ALLOWED', { allowed: [...methods.keys()] })
    return { route, endpointId: isDefault ? DEFAULT_ENDPOINT : decoded(first) }
  }

  #fail(req: IncomingMessage, res: ServerResponse, error: unknown, body: unknown): void {
    if (res.destroyed) return
    if (!res.headersSent) closeAfterUnread(req, res)
    if (error instanceof RpcError) {
      sendJson(res, 400, replyMessage(null, { error: { code: error.rpcCode, message: error.message } }))
      return
    }
    const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL')
    if (known !== error) {
      const kind = error instanceof Error ? error.name : typeof error
      this.#options.log.error({ error: kind }, 'A request failed for a reason that nobody foresaw')
    }
    refuse(res, known, { body, headers: failureHeaders(known, this.#options.metadataUrl?.(req)) })
  }
}

function byPath(routes: readonly Route[]): ReadonlyMap<string, ReadonlyMap<string, Route>> {
  const paths = new Map<string, Map<string, Route>>()
  for (const route of routes) {
    const methods = paths.get(route[1]) ?? new Map<string, Route>()
    methods.set(route[0], route)
    paths.set(route[1], methods)
  }
  return paths
}

function pathOf({ url = '/' }: IncomingMessage): string {
  const query = url.indexOf('?')
  return query < 0 ? url : url.slice(0, query)
}

/** Messages are posted beside the stream: `/messages` for `/sse`, `/<endpoint>/messages` for `/<endpoint>/sse`. */
function messagesPath(req: IncomingMessage): string {
  return pathOf(req).replace(/\/sse$/, '/messages')
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
