import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { dropRest, isLocal, listen, type ListenAddress } from '@tooldex/http-kit/server'
import { GatewayError, type GatewayErrorCode } from '../../errors.ts'
import type { ReplicaRepository } from '../../model/replicas.ts'
import { http } from '../../node-http.ts'
import { type Answering, answeringWith } from '../mcp/answer.ts'
import { ConnectedClients } from '../mcp/connected-clients.ts'
import { header, refuse, type RequestHead, sendFailure } from '../mcp/http-exchange.ts'
import { type ClientNotifier, type RequestHandler, RpcError } from '../mcp/requests/request-handler.ts'
import type { ClientLog } from '../mcp/rpc-errors.ts'
import { type SessionLimits, Sessions } from '../mcp/sessions.ts'
import { StreamableHttp } from '../mcp/streamable-http.ts'
import { answerNotHere, type Hop, Hops, markRefused } from '../replicas/hop.ts'
import type { ProgramHost, ProgramRequest } from '../replicas/program-host.ts'
import { Replicas } from '../replicas/replicas.ts'
import type { Keys } from '../replicas/seal.ts'
import { SessionHomes } from '../replicas/session-homes.ts'
import { LazySdk } from '../sdk/lazy-sdk.ts'
import type { ListenLimits } from '../sdk/listen-streams.ts'
import { ClientAddresses } from './client-address.ts'
import {
  CONNECTION_LIMITS,
  type ConnectionCounts,
  type ConnectionLimits,
  Connections,
  serverOptions,
} from './connections.ts'
import { type Access, admit, type Admitted, AttemptLimit, checkSource, namesOf } from './guards.ts'
import type { FailedAttempts } from '../../model/shared-limits.ts'
import { readJson } from './request-body.ts'
import { type AreaHandler, type PlainHandler, Routes } from './routes.ts'
import { aborted } from '../../aborted.ts'

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
  readonly limits?: {
    address(address: string): void | Promise<void>
    token(tokenId: string): void | Promise<void>
  }
  /** Counts wrong tokens; by default those of this process. */
  readonly attempts?: FailedAttempts
  /** The address of the OAuth metadata; absent if there is no external issuer. */
  readonly metadataUrl?: (req: RequestHead) => string
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 7420; 0 = any free one. */
  readonly port?: number
  /** Host names, beside those of loopback and `host`, under which the gateway and web pages may call it. */
  readonly allowedHosts?: readonly string[]
  /** Addresses and networks of proxies whose `Forwarded` or `X-Forwarded-For` names the client; none by default. */
  readonly trustedProxies?: readonly string[]
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
  /** The gateways that share a database with this one. Default: there is none, and sessions end with the process. */
  readonly shared?: SharedParts
  /** Serves programs to the other gateways. */
  readonly programs?: Pick<ProgramHost, 'receive' | 'answer'> | undefined
}

/** What all gateways on a database have in common. */
export interface SharedParts {
  readonly replicas: Replicas
  readonly repository: ReplicaRepository
  readonly keys: Keys
}

/** Half of the second within which revoked and expired tokens lose everything that is open. */
const SWEEP_MS = 500
const DRAIN_MS = 2_000
/** How long a gateway that stops goes on as before while others run, until balancers and the others have noticed. */
const NOTICED_MS = 2_000
/** How long its clients then have to open their streams with the others. */
const MOVED_MS = 2_000
/** How long it then answers on open connections alone: balancers are refused new ones, and stop to use those that they keep. */
const REFUSING_MS = 1_000

/** The HTTP listener: Streamable HTTP of all revisions on one URL, HTTP+SSE, health, metrics, and the areas. */
export class HttpServer {
  readonly #options: HttpServerOptions
  readonly #server: Server
  readonly #answering: Answering
  readonly #sessions: Sessions
  readonly #replicas: Replicas
  readonly #hops: Hops
  readonly #mcp: StreamableHttp
  readonly #clients: ConnectedClients
  readonly #sdk: LazySdk
  readonly #attempts: FailedAttempts
  readonly #addresses: ClientAddresses
  readonly #names: ReadonlySet<string>
  readonly #routes: Routes
  readonly #limits: ConnectionLimits
  readonly #connections: Connections
  /** Responses that have not ended yet. */
  #open = 0
  #isDraining = false
  /** Whether other replicas take over what this one had. */
  #hasOthers = false
  #drained: (() => void) | undefined
  #sweeper: NodeJS.Timeout | undefined

  constructor(options: HttpServerOptions) {
    const { now = () => performance.now(), clients = new ConnectedClients(), listenLimits, log } = options
    const answering = answeringWith(options)
    const sessions = new Sessions(now, options.sessionLimits)
    const key = randomBytes(32)
    const { replicas = new Replicas({ log }), keys = () => [key], repository } = options.shared ?? {}
    const hops = new Hops({ replicas, keys, log })
    const homes = new SessionHomes({ answering, sessions, replicas, hops, keys, repository })
    const parts = { answering, sessions, homes, clients }
    const sdk = new LazySdk({ ...parts, listenLimits, now })
    const mcp = new StreamableHttp({ ...parts, listen: (exchange) => sdk.listen(exchange) })
    this.#options = options
    this.#answering = answering
    this.#mcp = mcp
    this.#clients = clients
    this.#sessions = sessions
    this.#replicas = replicas
    this.#hops = hops
    this.#sdk = sdk
    this.#attempts = options.attempts ?? new AttemptLimit(now)
    this.#addresses = new ClientAddresses(options.trustedProxies)
    this.#names = namesOf([options.allowedHosts ?? [], options.host ?? []].flat())
    this.#routes = new Routes({ ...options, mcp, sdk }, options.areas)
    this.#limits = { ...CONNECTION_LIMITS, ...options.connectionLimits }
    this.#server = http.createServer(serverOptions(this.#limits))
    this.#connections = new Connections(this.#server, {
      ...{ limits: this.#limits, log, now },
      isProxy: (socket) => this.#addresses.isProxy(socket),
    })
    this.#server.on('request', (req, res) =>
      this.#connections.inTurn(req.socket, res, () => void this.#serve(req, res)),
    )
  }

  /** Notifies connected clients of changes. */
  get notifier(): ClientNotifier {
    return this.#clients
  }

  /** How many sessions each token has. */
  get sessionsPerToken(): ReadonlyMap<string, number> {
    return this.#sessions.perToken
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
   * once no request is under way, or with the signal. Other replicas take over the sessions and whatever else still arrives.
   * Idle connections stay open until the end: a request that is just being written to one would fail on a closed one.
   */
  async drain(until: AbortSignal): Promise<void> {
    this.#isDraining = true
    this.#sessions.close()
    // The database may not answer.
    this.#hasOthers = await Promise.race([this.#replicas.leave(), aborted(until).then(() => false)])
    if (this.#hasOthers) await this.#handOver(until)
    await this.idle(until)
  }

  /** Sends clients to the other replicas: first balancers notice, then streams end, so that none is opened here again. */
  async #handOver(until: AbortSignal): Promise<void> {
    await delay(NOTICED_MS, undefined, { signal: until }).catch(() => undefined)
    this.#sessions.releaseStreams()
    this.#hops.releaseStreams()
    const moved = AbortSignal.any([until, AbortSignal.timeout(MOVED_MS)])
    await Promise.all([this.#sdk.release(until), aborted(moved)])
    this.#hops.releaseStreams()
  }

  /** Resolves once no request is under way, or with the signal. */
  idle(until: AbortSignal): Promise<void> {
    return this.#answering.underWay.none(until)
  }

  /**
   * The last step of a drain: with other replicas, it accepts no more connections for a moment before those that are open are
   * closed. A balancer may be writing a call to a connection that it keeps, and does not send it again.
   */
  async refuseConnections(until: AbortSignal): Promise<void> {
    if (!this.#hasOthers) return
    // Without the part of an HTTP server that closes idle connections.
    NetServer.prototype.close.call(this.#server)
    await delay(REFUSING_MS, undefined, { signal: until }).catch(() => undefined)
    await this.idle(until)
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
    this.#hops.close()
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
    const address = this.#addresses.of(req)
    const sender = { address, authenticated: () => this.#connections.authenticated(socket) }
    this.#trackOpen(res)
    if (this.#isDraining) res.setHeader('connection', 'close')
    try {
      // Node accepts requests without a version.
      if (req.httpVersionMajor !== 1) throw new GatewayError('REQUEST_INVALID', { reason: 'it is no HTTP/1.1' })
      const hop = this.#hop(req, res)
      if (hop !== undefined) return await this.#serveHop(hop, req, res)
      const program = this.#options.programs?.receive(req)
      if (program !== undefined) return await this.#serveProgram(program, req, res)
      checkSource(req, this.#names)
      this.#connections.hold(res, socket, address)
      // Mostly synchronous: the next await would cost every request a turn of the loop.
      const ofAddress = this.#options.limits?.address(address)
      if (ofAddress !== undefined) await ofAddress
      const area = this.#routes.area(req)
      if (area !== undefined && (await area(req, res, sender))) return
      const { route, endpointId } = this.#routes.find(req)
      if (route[2] !== 'client') {
        if (route[2] === 'local' && !isLocal(req)) await this.#options.access.authenticate(header(req, 'authorization'))
        await route[3](req, res)
        return
      }
      const admitting = admit(req, endpointId, this.#options.access, () => this.#attempts.failed(address))
      // Local tokens resolve synchronously.
      const admitted: Admitted = admitting instanceof Promise ? await admitting : admitting
      const ofToken = this.#options.limits?.token(admitted.principal.tokenId)
      if (ofToken !== undefined) await ofToken
      if (route[0] === 'POST') body = await readJson(req, this.#limits.maxBodyBytes)
      // Not before: half a request to an endpoint without authentication would keep its connection from eviction.
      sender.authenticated()
      await route[3]({ req, res, body, principal: admitted.principal, endpoint: admitted.endpoint })
    } catch (error) {
      if (!res.destroyed && !res.headersSent) dropRest(req, res)
      this.#fail({ req, res, address }, error, body)
    }
  }

  /** @throws GatewayError REQUEST_FORBIDDEN for a request that only seems to come from another replica */
  #hop(req: IncomingMessage, res: ServerResponse): Hop | undefined {
    try {
      return this.#hops.receive(req)
    } catch (error) {
      markRefused(res)
      throw error
    }
  }

  /** Another replica has checked source and limits. The token is checked again: the replica vouches for the way, not for it. */
  async #serveHop({ fromId, head, isForUs, checkBody }: Hop, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { route, endpointId } = this.#routes.find(req)
    if (!isForUs || route[2] !== 'client') return answerNotHere(res)
    this.#connections.authenticated(req.socket)
    const { principal, endpoint } = await admit(head, endpointId, this.#options.access, () => undefined)
    const body = route[0] === 'POST' ? await readJson(req, this.#limits.maxBodyBytes, checkBody) : undefined
    await route[3]({ req: head, res, body, principal, endpoint, hop: { fromId } })
  }

  /** A request of another gateway, which has checked everything about its client. */
  async #serveProgram(program: ProgramRequest, req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.#connections.authenticated(req.socket)
    const { method, url, headers, rawHeaders } = req
    const body = method === 'POST' ? await readJson(req, this.#limits.maxBodyBytes) : undefined
    // Where the client of the other gateway is, is not known here.
    const head = { method, url, headers, rawHeaders, socket: {} }
    await this.#options.programs?.answer({ req: head, res, body, ...program })
  }

  #trackOpen(res: ServerResponse): void {
    this.#open += 1
    res.on('close', () => {
      this.#open -= 1
      if (this.#open === 0) this.#drained?.()
    })
  }

  #fail(
    { req, res, address }: { req: RequestHead; res: ServerResponse; address: string },
    error: unknown,
    body: unknown,
  ): void {
    if (res.destroyed) return
    if (error instanceof RpcError) return sendFailure(res, 400, { code: error.rpcCode, message: error.message })
    const known = error instanceof GatewayError ? error : new GatewayError('INTERNAL')
    if (known !== error) {
      const kind = error instanceof Error ? error.name : typeof error
      this.#options.log.error({ error: kind }, 'A request failed unexpectedly')
    }
    this.#options.onRefused?.(address, known.code)
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
    case 'TOKEN_EXPIRED':
      return challenge('invalid_token')
    case 'SCOPE_INSUFFICIENT':
      return challenge('insufficient_scope')
    case 'GATEWAY_STOPPING':
      return { 'retry-after': '1' }
    case 'TOO_MANY_SESSIONS':
      return { 'retry-after': '60' }
    case 'METHOD_NOT_ALLOWED':
      return { allow: (details['allowed'] as readonly string[]).join(', ') }
    default:
      return details['retryAfter'] === undefined ? {} : { 'retry-after': String(details['retryAfter']) }
  }
}
