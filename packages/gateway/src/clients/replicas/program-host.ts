import { isRecord } from '@tooldex/http-kit/json'
import { metaForServer } from '../../calls/call-meta.ts'
import { aborted } from '../../aborted.ts'
import { GatewayError } from '../../errors.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import type { Server, ServerEvent, ServerPool } from '../../servers/server.ts'
import { type Answering, answeringWith } from '../mcp/answer.ts'
import { ConnectedClients } from '../mcp/connected-clients.ts'
import { header, type HttpExchange, type RequestHead } from '../mcp/http-exchange.ts'
import { clientLinkOf } from '../mcp/requests/forwarder.ts'
import type { Caller, ListeningClient, RequestHandler, RpcMessage } from '../mcp/requests/request-handler.ts'
import type { ClientLog } from '../mcp/rpc-errors.ts'
import { Sessions } from '../mcp/sessions.ts'
import { StreamableHttp } from '../mcp/streamable-http.ts'
import { LazySdk } from '../sdk/lazy-sdk.ts'
import { Hops } from './hop.ts'
import { type ProgramHomes, PROGRAMS_PATH } from './program-homes.ts'
import { Replicas } from './replicas.ts'
import type { Keys } from './seal.ts'
import { SessionHomes } from './session-homes.ts'

/** A server, with its name for itself. */
interface NamedServer extends Server {
  serverInfo(): Readonly<Record<string, unknown>> | undefined
}

/** The servers of this gateway. */
interface ProgramPool extends Pick<ServerPool, 'onEvent'> {
  get(serverId: string): NamedServer | undefined
  all(): readonly NamedServer[]
}

/** The collaborators of {@link ProgramHost}. */
export interface ProgramHostParts {
  readonly homes: ProgramHomes
  readonly pool: ProgramPool
  readonly keys: Keys
  readonly log: ClientLog
}

/** A request of another gateway to a program that runs here. */
export type ProgramRequest = Pick<HttpExchange, 'principal' | 'endpoint'>

/** How often a gateway checks that the programs that it runs are still its own: another one may have missed it and taken over. */
const CHECK_MS = 5_000
const FEW = { perToken: 10_000, total: 20_000, idleMs: 60 * 60_000 }

/** Serves the programs that run here, and in no other gateway, to the others: each like a server over Streamable HTTP. */
export class ProgramHost {
  readonly #parts: ProgramHostParts
  readonly #answering: Answering
  readonly #sessions: Sessions
  readonly #mcp: StreamableHttp
  readonly #sdk: LazySdk
  readonly #clients = new ConnectedClients()
  readonly #listening = new Set<ListeningClient>()
  readonly #atEnd: (() => void)[] = []
  #isLeaving = false

  constructor(parts: ProgramHostParts) {
    const { log, keys, pool } = parts
    this.#parts = parts
    this.#answering = answeringWith({ handler: programRequests(pool), log })
    this.#sessions = new Sessions(() => performance.now(), FEW)
    // These sessions live and end with this process.
    const replicas = new Replicas({ log })
    const hops = new Hops({ replicas, keys, log })
    const homes = new SessionHomes({ answering: this.#answering, sessions: this.#sessions, replicas, hops, keys })
    const shared = { answering: this.#answering, sessions: this.#sessions, homes, clients: this.#clients }
    this.#sdk = new LazySdk(shared)
    this.#mcp = new StreamableHttp({ ...shared, listen: (exchange) => this.#sdk.listen(exchange) })
    this.#clients.onJoin((client) => {
      this.#listening.add(client)
      return () => void this.#listening.delete(client)
    })
    this.#atEnd.push(pool.onEvent((event) => this.#tell(event)))
    const timer = setInterval(() => void this.#check(), CHECK_MS).unref()
    this.#atEnd.push(() => clearInterval(timer))
  }

  /** A request as one to a program; undefined for any other. @throws GatewayError REQUEST_FORBIDDEN */
  receive(req: RequestHead): ProgramRequest | undefined {
    const serverId = serverIdIn(req.url)
    if (serverId === undefined) return undefined
    const fromId = this.#parts.homes.senderOf(header(req, 'authorization'), serverId)
    if (fromId === undefined) {
      throw new GatewayError('REQUEST_FORBIDDEN', {
        reason: 'only gateways on the same database, with the same secret key, may send it here',
        remedy: 'Give all gateways on a database the same TOOLDEX_SECRET_KEY',
      })
    }
    return { principal: principalOf(fromId), endpoint: endpointOf(serverId) }
  }

  /** @throws GatewayError SESSION_NOT_FOUND if the program is not, or no longer, here; SERVER_* if it does not run */
  async answer(exchange: HttpExchange): Promise<void> {
    const { req, body, endpoint } = exchange
    const isRequest = isRecord(body) && 'method' in body && 'id' in body
    if (this.#isLeaving && (isRequest || req.method === 'GET')) throw elsewhere()
    if (isRequest && body['method'] === 'initialize') {
      if (!(await this.#parts.homes.isHere(endpoint.id))) throw elsewhere()
      // Its declarations are known once it runs.
      await this.#parts.pool.get(endpoint.id)?.request({ method: 'ping' })
    }
    if (req.method === 'POST') await this.#mcp.post(exchange)
    else if (req.method === 'DELETE') await this.#mcp.end(exchange)
    else await this.#mcp.stream(exchange)
  }

  /** Ends the programs that run here once no call is under way, or with the signal, and hands them over to other gateways. */
  async leave(until: AbortSignal): Promise<void> {
    this.#isLeaving = true
    const { homes, log } = this.#parts
    await this.#answering.underWay.none(until)
    const handingOver = Promise.all(
      this.#placed().map(async (server) => {
        try {
          if (!(await homes.isHere(server.definition.id))) return
          await server.stop()
          await homes.handOver(server.definition.id)
        } catch (error) {
          log.warn({ serverId: server.definition.id, error: String(error) }, 'a program could not be handed over')
        }
      }),
    )
    // The database may not answer; another gateway then takes the programs over when this one is gone.
    await Promise.race([handingOver, aborted(until)])
  }

  async close(): Promise<void> {
    for (const end of this.#atEnd.splice(0)) end()
    this.#sessions.endAll()
    await this.#sdk.close()
  }

  #placed(): readonly Server[] {
    return this.#parts.pool.all().filter(({ definition: { placement } }) => placement === 'one')
  }

  /** A gateway that was suspended for long may run a program that another one has taken over. */
  async #check(): Promise<void> {
    const { homes, log } = this.#parts
    this.#sessions.sweep(this.#answering.rightsNow)
    for (const server of this.#placed()) {
      const { pid, state } = server.status()
      if (this.#isLeaving || state !== 'running' || pid === undefined) continue
      try {
        if (await homes.isHere(server.definition.id)) continue
        log.warn({ serverId: server.definition.id }, 'another gateway runs this program now; it ends here')
        await server.restart()
      } catch {
        // The database is away, or the program does not start; the next check follows.
      }
    }
  }

  /** Passes on what the program says outside of requests. */
  #tell(event: ServerEvent): void {
    if (event.kind === 'log' && event.sessionId !== undefined) this.#clients.logged(event.sessionId, event.params)
    if (event.kind === 'resource-updated') {
      const { serverId, uri, sessionId } = event
      this.#clients.resourceUpdated(({ endpoint }) => (endpoint.id === serverId ? uri : undefined), sessionId)
    }
    if (event.kind !== 'list-changed') return
    for (const client of this.#listening) {
      if (client.rights()?.endpoint.id === event.serverId) this.#clients.listChanged(event.list, client)
    }
  }
}

/** Passes the requests of other gateways on to programs, unchanged: what they may see was decided where their clients are. */
function programRequests(pool: ProgramPool): RequestHandler {
  const serverOf = ({ endpoint }: Pick<Caller, 'endpoint'>): NamedServer => {
    const server = pool.get(endpoint.id)
    if (server === undefined) throw new GatewayError('SERVER_NOT_FOUND', { server: endpoint.id })
    return server
  }
  return {
    describe: (caller) => {
      const server = serverOf(caller)
      const instructions = server.instructions()
      return {
        serverInfo: { name: server.definition.name, version: '', ...server.serverInfo() },
        capabilities: server.capabilities() ?? {},
        ...(instructions !== undefined && { instructions }),
      }
    },
    handle: async (request, caller) => serverOf(caller).request(...forServer(request, caller)),
    notified: (notification, caller) => {
      if (caller.sessionId !== undefined) pool.get(caller.endpoint.id)?.notify(caller.sessionId, notification)
    },
    sessionClosed: (sessionId) => {
      // What cannot be closed ends with its program at the latest.
      for (const server of pool.all()) server.closeSession(sessionId).catch(() => {})
    },
    addedTo: () => [],
    restoreAdded: () => {},
  }
}

function forServer({ method, params = {} }: RpcMessage, caller: Caller): Parameters<Server['request']> {
  const { _meta, ...rest } = params
  const meta = metaForServer(_meta)
  const progressToken = isRecord(_meta) ? _meta['progressToken'] : undefined
  const request = { method, params: Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta } }
  const { signal, notify } = caller
  const onProgress = (progress: Readonly<Record<string, unknown>>): void =>
    notify({ method: 'notifications/progress', params: { ...progress, progressToken } })
  const client = clientLinkOf(caller)
  return [request, { signal, onNotification: notify, client, ...(progressToken !== undefined && { onProgress }) }]
}

function serverIdIn(url = ''): string | undefined {
  const [, area, serverId, ...rest] = url.split('?')[0]?.split('/') ?? []
  if (area !== PROGRAMS_PATH || serverId === undefined || rest.length > 0) return undefined
  try {
    return decodeURIComponent(serverId)
  } catch {
    return undefined
  }
}

const principalOf = (fromId: string): Principal => ({
  tokenId: `replica ${fromId}`,
  name: 'a gateway',
  readOnly: false,
})

function endpointOf(serverId: string): Endpoint {
  return { id: serverId, projectId: '', disclosure: {}, auth: 'token', transparent: true }
}

function elsewhere(): GatewayError {
  return new GatewayError('SESSION_NOT_FOUND', { remedy: 'The program runs in another gateway now' })
}
