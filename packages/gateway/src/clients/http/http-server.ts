import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { dropRest, isLocal, listen, type ListenAddress } from '@tooldex/http-kit/server'
import { GatewayError, type GatewayErrorCode } from '../../errors.ts'
import { http } from '../../node-http.ts'
import { type Answering, answeringWith } from '../mcp/answer.ts'
import { ConnectedClients } from '../mcp/connected-clients.ts'
import { header, refuse, type RequestHead, sendFailure } from '../mcp/http-exchange.ts'
import { type ClientNotifier, type RequestHandler, RpcError } from '../mcp/requests/request-handler.ts'
import type { ClientLog } from '../mcp/rpc-errors.ts'
import { type SessionLimits, Sessions } from '../mcp/sessions.ts'
import { StreamableHttp } from '../mcp/streamable-http.ts'
import { LazySdk } from '../sdk/lazy-sdk.ts'
import type { ListenLimits } from '../sdk/listen-streams.ts'
import {
  CONNECTION_LIMITS,
  type ConnectionCounts,
  type ConnectionLimits,
  Connections,
  serverOptions,
} from './connections.ts'
import { type Access, admit, type Admitted, AttemptLimit, checkSource, namesOf } from './guards.ts'
import { readJson } from './request-body.ts'
import { type AreaHandler, type PlainHandler, Routes } from './routes.ts'

/** The parts and settings of the HTTP server. */
export interface HttpServerOptions {
  readonly handler: RequestHandler
  readonly access: Access
  readonly log: ClientLog
  readonly health: PlainHandler
  readonly ready: PlainHandler
  readonly metrics: PlainHandler
  /** Handlers by first path segment, such as `api` and `.well-known`. */
  readonly areas?: ReadonlyMap<string, AreaHandler>
  /** Counts a request of an address, and one of a token. @throws GatewayError RATE_LIMITED */
  readonly limits?: { address(address: string): void; token(tokenId: string): void }
  /** The address of the OAuth metadata; absent if there is no external issuer. */
  readonly metadataUrl?: (req: RequestHead) => string
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 7420; 0 = any free one. */
  readonly port?: number
  /** Host names, beside those of loopback and `host`, under which the gateway and web pages may call it. */
  readonly allowedHosts?: readonly string[]
  /** Defaults: `CONNECTION_LIMITS`. */
  readonly connectionLimits?: Partial<ConnectionLimits>
  readonly sessionLimits?: SessionLimits
  readonly listenLimits?: ListenLimits
  /** The rights of an open session, stream or call as they are now; checked with every sweep. Default: they never change. */
  readonly rightsNow?: Answering['rightsNow']
  /** Called with the address and the code of every refused request. */
  readonly onRefused?: (address: string, code: GatewayErrorCode) => void
  readonly now?: () => number
  readonly clients?: ConnectedClients
}

/** Half of the second within which revoked and expired tokens lose everything that is open. */
const SWEEP_MS = 500
const DRAIN_MS = 2_000

/** The HTTP listener: Streamable HTTP of all revisions on one URL, HTTP+SSE, health, metrics, and the areas. */
export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #server: Server
  readonly #answering: Answering
  readonly #sessions: Sessions
  readonly #mcp: StreamableHttp
  readonly #clients: ConnectedClients
  readonly #sdk: LazySdk
  readonly #attempts: AttemptLimit
  readonly #names: ReadonlySet<string>
  readonly #routes: Routes
  readonly #limits: ConnectionLimits
  readonly #connections: Connections
  /** Responses that have not ended yet. */
  #open = 0
  #isDraining = false
  #drained: (() => void) | undefined
  #sweeper: NodeJS.Timeout | undefined

  constructor(options: HttpServerOptions) {
    const { now = () => performance.now(), clients = new ConnectedClients(), listenLimits, log } = options
    const answering = answeringWith(options)
    const sessions = new Sessions(now, options.sessionLimits)
    const sdk = new LazySdk({ answering, sessions, clients, listenLimits })
    const mcp = new StreamableHttp({ answering, sessions, clients, listen: (exchange) => sdk.listen(exchange) })
    this.#options = options
    this.#answering = answering
    this.#mcp = mcp
    this.#clients = clients
    this.#sessions = sessions
    this.#sdk = sdk
    this.#attempts = new AttemptLimit(now)
    this.#names = namesOf([options.allowedHosts ?? [], options.host ?? []].flat())
    this.#routes = new Routes({ ...options, mcp, sdk }, options.areas)
    this.#limits = { ...CONNECTION_LIMITS, ...options.connectionLimits }
    this.#server = http.createServer(serverOptions(this.#limits))
    this.#connections = new Connections(this.#server, { limits: this.#limits, log, now })
    this.#server.on('request', (req, res) =>
      this.#connections.inTurn(req.socket, res, () => void this.#serve(req, res)),
    )
  }

  /** Notifies connected clients of changes. */
  get notifier(): ClientNotifier {
    return this.#clients
  }

  /** How many sessions are open. */
  get sessionCount(): number {
    return this.#sessions.size
  }

  get connectionCounts(): ConnectionCounts {
    return this.#connections.counts
  }

  /** Resolves to the address once connections are accepted. */
  async listen(): Promise<ListenAddress> {
    const address = await listen(this.#server, this.#options.host ?? '127.0.0.1', this.#options.port ?? 7420)
    this.#sweeper = setInterval(() => this.sweep(), SWEEP_MS).unref()
    return address
  }

  /** How many requests are being answered. */
  get underWay(): number {
    return this.#answering.underWay.count
  }

  /**
   * Begins no more sessions and closes each connection after its answer, so that clients and balancers go elsewhere. Resolves
   * once no request is under way, or with the signal.
   */
  async drain(until: AbortSignal): Promise<void> {
    this.#isDraining = true
    this.#sessions.close()
    this.#server.closeIdleConnections()
    await this.#answering.underWay.none(until)
  }

  /** Accepts no more connections, ends sessions and streams, and gives open requests a moment to finish. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper)
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#sessions.endAll()
    await this.#sdk.close()
    if (this.#open > 0) {
      const timer = setTimeout(() => this.#drained?.(), DRAIN_MS).unref()
      await new Promise<void>((resolve) => (this.#drained = resolve))
      clearTimeout(timer)
    }
    this.#server.closeAllConnections()
    await closed
  }

  /** Ends idle sessions, everything that belongs to invalid tokens, and stuck connections. Runs twice a second by itself. */
  sweep(): void {
    this.#sessions.sweep(this.#answering.rightsNow)
    this.#mcp.sweep()
    this.#sdk.sweep()
    this.#connections.sweep()
  }

  /** The one sequence of guards: source, address limit, area, route, admission, body. */
  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body: unknown
    const { socket } = req
    this.#trackOpen(res)
    if (this.#isDraining) res.setHeader('connection', 'close')
    try {
      // Node accepts requests without a version.
      if (req.httpVersionMajor !== 1) throw new GatewayError('REQUEST_INVALID', { reason: 'it is no HTTP/1.1' })
      checkSource(req, this.#names)
      this.#options.limits?.address(socket.remoteAddress ?? '')
      const area = this.#routes.area(req)
      if (area !== undefined && (await area(req, res, () => this.#connections.authenticated(socket)))) return
      const { route, endpointId } = this.#routes.find(req)
      if (route[2] !== 'client') {
        if (route[2] === 'local' && !isLocal(req)) await this.#options.access.authenticate(header(req, 'authorization'))
        await route[3](req, res)
        return
      }
      const admitting = admit(req, endpointId, this.#options.access, this.#attempts)
      // Local tokens resolve synchronously.
      const admitted: Admitted = admitting instanceof Promise ? await admitting : admitting
      this.#options.limits?.token(admitted.principal.tokenId)
      if (route[0] === 'POST') body = await readJson(req, this.#limits.maxBodyBytes)
      // Not before: half a request to an endpoint without authentication would keep its connection from eviction.
      this.#connections.authenticated(socket)
      await route[3]({ req, res, body, principal: admitted.principal, endpoint: admitted.endpoint })
    } catch (error) {
      if (!res.destroyed && !res.headersSent) dropRest(req, res)
      this.#fail(req, res, error, body)
    }
  }

  #trackOpen(res: ServerResponse): void {
    this.#open += 1
    res.on('close', () => {
      this.#open -= 1
      if (this.#open === 0) this.#drained?.()
    })
  }

  #fail(req: RequestHead, res: ServerResponse, error: unknown, body: unknown): void {
    if (res.destroyed) return
    if (error instanceof RpcError) return sendFailure(res, 400, { code: error.rpcCode, message: error.message })
    const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL')
    if (known !== error) {
      const kind = error instanceof Error ? error.name : typeof error
      this.#options.log.error({ error: kind }, 'A request failed unexpectedly')
    }
    this.#options.onRefused?.(req.socket.remoteAddress ?? '', known.code)
    refuse(res, known, { body, headers: failureHeaders(known, this.#options.metadataUrl?.(req)) })
  }
}

/** The headers that go with an error: how to authenticate, and when to try again. */
function failureHeaders({ code, details }: GatewayError, metadataUrl: string | undefined): Record<string, string> {
  const challenge = (error?: string): Record<string, string> => ({
    'www-authenticate': [
      'Bearer realm="tooldex"',
      ...(error === undefined ? [] : [`error="${error}"`]),
      ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
    ].join(', '),
  })
  switch (code) {
    case 'TOKEN_MISSING':
      return challenge()
    case 'TOKEN_INVALID':
      return challenge('invalid_token')
    case 'SCOPE_INSUFFICIENT':
      return challenge('insufficient_scope')
    case 'TOO_MANY_ATTEMPTS':
    case 'RATE_LIMITED':
    case 'ISSUER_UNAVAILABLE':
      return { 'retry-after': String(details['retryAfterSeconds']) }
    case 'GATEWAY_STOPPING':
      return { 'retry-after': '1' }
    case 'TOO_MANY_SESSIONS':
      return { 'retry-after': '60' }
    case 'METHOD_NOT_ALLOWED':
      return { allow: (details['allowed'] as readonly string[]).join(', ') }
    default:
      return {}
  }
}
