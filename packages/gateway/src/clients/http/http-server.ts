import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Principal } from '../../model/principal.ts'
import { GatewayError } from '../../errors.ts'
import { http } from '../../node-http.ts'
import { answeringWith } from '../mcp/answer.ts'
import { AttemptLimit } from './attempt-limit.ts'
import { ConnectedClients } from '../mcp/connected-clients.ts'
import { CONNECTION_LIMITS, type ConnectionLimits, patience } from './connection-limits.ts'
import { type ConnectionCounts, type Connections, connectionsBefore } from './connections.ts'
import { header, refuse, type RequestHead, type ResponseSink, sendJson } from './exchange.ts'
import { failureHeaders } from './failure-headers.ts'
import { type Access, admit, type Admitted, checkSource, isLocal, namesOf } from './guards.ts'
import type { ListenLimits } from '../sdk/http-modern.ts'
import { replyMessage } from '../mcp/json-rpc.ts'
import { LazySdk } from '../sdk/lazy-sdk.ts'
import { type LeanEntry, leanEntryBefore } from './lean-entry.ts'
import { LeanPath } from '../mcp/lean-path.ts'
import type { LeanHead, LeanRequest } from './lean-request.ts'
import { LeanSessions } from '../mcp/lean-sessions.ts'
import { LegacySessions, type SessionLimits } from '../mcp/legacy-sessions.ts'
import { checkIsJson, closeAfterUnread, parseJson, readJson } from './request-body.ts'
import { type ClientNotifier, type RequestHandler, RpcError } from '../mcp/requests/request-handler.ts'
import { routeTable } from './route-table.ts'
import { type AreaHandler, type ClientRoute, type PlainHandler, Routes } from './routes.ts'
import type { DownstreamLog } from '../mcp/rpc-errors.ts'

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
  readonly metadataUrl?: (req: RequestHead) => string
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 7420; 0 = any free one. */
  readonly port?: number
  /** Host names, beside those of loopback and `host`, under which we may be called and whose web pages may call us. */
  readonly allowedHosts?: readonly string[]
  /** What is not said here is as in `CONNECTION_LIMITS`. */
  readonly connectionLimits?: Partial<ConnectionLimits>
  readonly sessionLimits?: SessionLimits
  readonly listenLimits?: ListenLimits
  /** Whether a token that opened a session or stream is still good; asked with every sweep. Default: it is. */
  readonly isValid?: (principal: Principal, endpointId: string) => boolean
  readonly now?: () => number
  readonly clients?: ConnectedClients
  /** false = every request through the SDK: for comparing the two. */
  readonly leanPath?: boolean
}

const SWEEP_MS = 1_000
const DRAIN_MS = 2_000

/** How clients reach the gateway over HTTP: both eras on one URL, and the old HTTP+SSE. */
export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #server: Server
  readonly #sessions: LegacySessions
  readonly #clients: ConnectedClients
  readonly #sdk: LazySdk
  readonly #attempts: AttemptLimit
  readonly #names: ReadonlySet<string>
  readonly #routes: Routes
  readonly #limits: ConnectionLimits
  readonly #entry: LeanEntry | undefined
  readonly #connections: Connections
  /** Heads that passed all that is decided by the head alone, and where they lead: clients say the same again and again. */
  readonly #knownHeads = new WeakMap<LeanHead, ClientRoute>()
  readonly #open = new Set<ResponseSink>()
  #drained: (() => void) | undefined
  #sweeper: NodeJS.Timeout | undefined

  constructor(options: HttpServerOptions) {
    const now = options.now ?? (() => performance.now())
    this.#options = options
    const answering = answeringWith(options)
    const clients = options.clients ?? new ConnectedClients()
    const sessions = new LegacySessions(now, options.sessionLimits)
    this.#clients = clients
    this.#sessions = sessions
    this.#sdk = new LazySdk({ answering, sessions, clients, listenLimits: options.listenLimits })
    const isLean = options.leanPath !== false
    const lean = isLean
      ? { path: new LeanPath(answering, sessions), sessions: new LeanSessions(answering, sessions, clients) }
      : undefined
    this.#attempts = new AttemptLimit(now)
    this.#names = namesOf([options.allowedHosts ?? [], options.host ?? []].flat())
    this.#routes = new Routes(routeTable({ ...options, lean, sdk: this.#sdk }), options.areas)
    this.#limits = { ...CONNECTION_LIMITS, ...options.connectionLimits }
    this.#server = http.createServer(patience(this.#limits))
    this.#server.on('request', (req, res) =>
      this.#connections.inTurn(req.socket, res, () => void this.#serve(req, res)),
    )
    this.#entry = isLean ? this.#leanEntry(now) : undefined
    this.#connections = connectionsBefore(this.#server, { limits: this.#limits, log: options.log, now })
  }

  #leanEntry(now: () => number): LeanEntry {
    const { headTimeoutMs: headMs, keepAliveMs } = this.#limits
    const takes = (head: LeanHead): boolean => this.#takesLean(head)
    const serve = (request: LeanRequest, res: ResponseSink): void => void this.#serveLean(request, res)
    return leanEntryBefore(this.#server, { takes, serve, headMs, keepAliveMs, now })
  }

  /** Tells connected clients of changes. */
  get notifier(): ClientNotifier {
    return this.#clients
  }

  /** How many sessions of the older era are open. */
  get sessionCount(): number {
    return this.#sessions.size
  }

  /** How many connections are open, and what became of others. */
  get connectionCounts(): ConnectionCounts {
    return this.#connections.counts
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
    this.#entry?.close()
    this.#sessions.endAll()
    await this.#sdk.close()
    if (this.#open.size > 0) {
      const impatience = setTimeout(() => this.#drained?.(), DRAIN_MS).unref()
      await new Promise<void>((resolve) => (this.#drained = resolve))
      clearTimeout(impatience)
    }
    this.#entry?.destroy()
    this.#server.closeAllConnections()
    await closed
  }

  /** Ends what nobody uses and what belongs to tokens that are not valid any more. Happens every second by itself. */
  sweep(): void {
    const isValid = this.#options.isValid ?? (() => true)
    this.#sessions.sweep(isValid)
    this.#sdk.sweep(isValid)
    this.#entry?.sweep()
    this.#connections.sweep()
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body: unknown
    const { socket } = req
    this.#keepOpen(res)
    try {
      // Node reads requests that name no version as if they were of one.
      if (req.httpVersionMajor !== 1) throw new GatewayError('REQUEST_INVALID', { reason: 'it is no HTTP/1.1' })
      checkSource(req, this.#names)
      this.#countAddress(req)
      const area = this.#routes.area(req)
      if (area !== undefined && (await area(req, res, () => this.#connections.proven(socket)))) return
      const { route, endpointId } = this.#routes.find(req)
      if (route[2] !== 'client') {
        if (route[2] === 'local' && !isLocal(req)) await this.#options.access.authenticate(header(req, 'authorization'))
        await route[3](req, res)
        return
      }
      const admitting = this.#admit(req, endpointId)
      // Nobody waits, not even a moment, for a token of ours.
      const admitted = admitting instanceof Promise ? await admitting : admitting
      if (route[0] === 'POST') body = await readJson(req, this.#limits.maxBodyBytes)
      await route[3]({ req, res, body, ...admitted })
    } catch (error) {
      if (!res.destroyed && !res.headersSent) closeAfterUnread(req, res)
      this.#fail(req, res, error, body)
    }
  }

  /** Whether a request that came whole is one for MCP; anything else takes the way of all. */
  #takesLean(head: LeanHead): boolean {
    if (this.#knownHeads.has(head)) return true
    if (this.#routes.area(head) !== undefined || head.bodyBytes > this.#limits.maxBodyBytes) return false
    return this.#routes.isForClients(head)
  }

  /** The same steps in the same order, for a request that is there already. */
  async #serveLean({ head, body: bytes }: LeanRequest, res: ResponseSink): Promise<void> {
    let body: unknown
    this.#keepOpen(res)
    try {
      const known = this.#knownHeads.get(head)
      if (known === undefined) checkSource(head, this.#names)
      this.#countAddress(head)
      const route = known ?? this.#routes.findForClient(head)
      const admitting = this.#admit(head, route.endpointId)
      const { principal, endpoint } = admitting instanceof Promise ? await admitting : admitting
      if (known === undefined) {
        checkIsJson(head)
        this.#knownHeads.set(head, route)
      }
      body = parseJson(bytes)
      await route.handle({ req: head, res, body, principal, endpoint })
    } catch (error) {
      this.#fail(head, res, error, body)
    }
  }

  #keepOpen(res: ResponseSink): void {
    this.#open.add(res)
    res.once('close', () => {
      this.#open.delete(res)
      if (this.#open.size === 0) this.#drained?.()
    })
  }

  #countAddress(req: RequestHead): void {
    this.#options.limits?.address(req.socket.remoteAddress ?? '')
  }

  #admit(req: RequestHead, endpointId: string): Admitted | Promise<Admitted> {
    const { access, limits } = this.#options
    const within = (admitted: Admitted): Admitted => {
      limits?.token(admitted.principal.tokenId)
      this.#connections.proven(req.socket)
      return admitted
    }
    const admitting = admit(req, endpointId, access, this.#attempts)
    return admitting instanceof Promise ? admitting.then(within) : within(admitting)
  }

  #fail(req: RequestHead, res: ResponseSink, error: unknown, body: unknown): void {
    if (res.destroyed) return
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
