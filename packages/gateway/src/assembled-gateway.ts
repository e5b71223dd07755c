import type { Readable, Writable } from 'node:stream'
import type { Endpoint } from './model/endpoint.ts'
import { DEFAULT_ENDPOINT, type ModelSource } from './model/gateway-model.ts'
import type { Principal } from './model/principal.ts'
import type { CostLedger } from './admin/routes/cost-ledger.ts'
import { assembleAdmin } from './assemble-admin.ts'
import { assembleHttp } from './assemble-http.ts'
import type { AuditFeed } from './audit/audit-feed.ts'
import type { CallLatencies } from './audit/call-latencies.ts'
import type { ParkedCalls } from './calls/parked-calls.ts'
import { descriptionsOf } from './catalog/described-tools.ts'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import type { SearchIndex } from './catalog/open-search-index.ts'
import { reachableUrl } from './config/gateway-config.ts'
import type { AdminEntry } from './admin/api/admin-entry.ts'
import type { ConnectedClients } from './clients/mcp/connected-clients.ts'
import type { HttpServer } from './clients/http/http-server.ts'
import { announceChanges } from './clients/mcp/requests/change-announcer.ts'
import type { EndpointViews } from './clients/mcp/requests/endpoint-view.ts'
import type { GatewayRequests } from './clients/mcp/requests/gateway-requests.ts'
import {
  type FindOptions,
  type Found,
  LocalClient,
  type ModelApiSnippets,
} from './clients/mcp/requests/local-client.ts'
import type { ToolRequests } from './clients/mcp/requests/tool-requests.ts'
import { GatewayError } from './errors.ts'
import type { AssembleOptions, CallOptions, Gateway } from './gateway.ts'
import type { Cloud } from './search/cloud/open-cloud.ts'
import type { SearchApiHealth } from './search/cloud/search-api-link.ts'
import type { ToolSearch } from './search/tool-search.ts'
import { loginControl, restartOnLogin } from './servers/login/login-control.ts'
import type { ServerLogins } from './servers/login/server-logins.ts'
import type { SupervisedPool } from './servers/pool/server-pool.ts'
import type { ServerPool } from './servers/server.ts'
import type { ProcessRegistry } from './servers/stdio/process-registry.ts'
import { type PlainAnswer, readyz } from './telemetry/health.ts'

/** Loading what connecting needs keeps everybody waiting: who is there already comes first. */
const CLIENTS_FIRST_MS = 100

/** What a gateway is made of, put together. */
export interface GatewayParts extends AssembleOptions {
  readonly pool: SupervisedPool
  readonly catalog: LiveCatalog
  readonly searchIndex: SearchIndex
  readonly cloud: Cloud
  readonly requests: GatewayRequests
  readonly views: EndpointViews
  readonly search: ToolSearch
  readonly tools: ToolRequests
  readonly parked: ParkedCalls
  readonly registry: ProcessRegistry
  readonly clients: ConnectedClients
  readonly auditFeed: AuditFeed
  readonly latencies: CallLatencies
  /** Absent without a store. */
  readonly costs?: CostLedger
  readonly address: Address
  readonly logins?: ServerLogins
  /** Lets those servers start that start by themselves. */
  readonly letServersStart: () => void
}

/** Where the gateway can be reached, once it listens. */
export interface Address {
  url?: string
}

/** A gateway whose parts are together: starts them, uses them and ends them. */
export class AssembledGateway implements Gateway {
  readonly pool: SupervisedPool
  readonly catalog: LiveCatalog
  readonly models: ModelSource
  readonly requests: GatewayRequests
  readonly #parts: GatewayParts
  readonly #local: LocalClient
  readonly #ends: (() => void)[] = []
  #http: HttpServer | undefined
  #entry: AdminEntry | undefined
  #started: Promise<void> | undefined
  #stopped: Promise<void> | undefined

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.pool = parts.pool
    this.catalog = parts.catalog
    this.models = parts.models
    this.requests = parts.requests
    this.#local = new LocalClient(parts)
  }

  async startServers(): Promise<void> {
    await this.#ready()
    this.#parts.letServersStart()
  }

  /** Clients come first: the lists of earlier lives answer them, while starting twenty programs takes all there is. */
  async listen(): Promise<{ readonly url: string; readonly port: number }> {
    await this.#ready()
    this.#http = this.#httpServer()
    const { url, port } = await this.#http.listen()
    this.#parts.address.url = reachableUrl(url, this.#parts.config.listen)
    const timer = setTimeout(this.#parts.letServersStart, CLIENTS_FIRST_MS)
    this.#ends.push(() => clearTimeout(timer))
    return { url, port }
  }

  async serveStdio(
    principal: Principal,
    { input, output }: { input: Readable; output: Writable },
    endpointId: string = DEFAULT_ENDPOINT,
  ): Promise<void> {
    const [{ serveOverStdio }] = await Promise.all([import('./clients/sdk/stdio.ts'), this.#ready()])
    const { requests, clients, logger } = this.#parts
    const connection = serveOverStdio({
      handler: requests,
      log: logger,
      principal,
      endpoint: () => this.#endpoint(endpointId),
      input,
      output,
      clients,
    })
    this.#parts.letServersStart()
    await connection.closed
  }

  find(queries: readonly string[], options: FindOptions): Promise<Found> {
    return this.#local.find(queries, this.#endpoint(options.endpointId ?? DEFAULT_ENDPOINT), options)
  }

  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    { principal, endpointId = DEFAULT_ENDPOINT }: CallOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.#local.call(tool, args, this.#endpoint(endpointId), principal)
  }

  list(endpointId: string, principal: Principal): readonly object[] {
    return this.#local.list(this.#endpoint(endpointId), principal)
  }

  snippets(endpointId: string, url: string, principal: Principal): ModelApiSnippets {
    return this.#local.snippets(this.#endpoint(endpointId), principal, url)
  }

  searchApiHealth(): SearchApiHealth | undefined {
    return this.#parts.cloud.health()
  }

  signInCode(): string | undefined {
    return this.#entry?.signInCode()
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  /** What is known from earlier lives is there; no server runs yet. */
  #ready(): Promise<void> {
    this.#started ??= this.#start()
    return this.#started
  }

  async #start(): Promise<void> {
    const { registry, pool, catalog, models, clients, logger, logins } = this.#parts
    const { ended } = await registry.sweep()
    if (ended > 0) logger.info({ ended }, 'ended servers that an earlier gateway had left running')
    const { index } = this.#parts.searchIndex
    index.describe(descriptionsOf(models.current().projects.values()))
    this.#ends.push(models.onChange(({ projects }) => index.describe(descriptionsOf(projects.values()))))
    this.#ends.push(announceChanges({ models, catalog, pool }, clients))
    if (logins !== undefined) this.#ends.push(restartOnLogin(logins, pool))
    this.#ends.push(models.onChange((model) => void this.#reconcile(model.servers)))
    await this.#reconcile(models.current().servers, () => catalog.start())
  }

  async #reconcile(
    definitions: Parameters<ServerPool['reconcile']>[0],
    collected: () => Promise<void> = () => this.#parts.catalog.serversChanged(),
  ): Promise<void> {
    const reconciled = this.#parts.pool.reconcile(definitions)
    await collected()
    await reconciled
  }

  async #stop(): Promise<void> {
    for (const end of this.#ends) end()
    this.#parts.cloud.close()
    this.#parts.parked.close()
    const { pool, catalog, registry, searchIndex } = this.#parts
    await Promise.all([this.#http?.close(), pool.stop(), searchIndex.embedders.close()])
    catalog.stop()
    registry.close()
    await this.#parts.costs?.stop()
  }

  #httpServer(): HttpServer {
    const ready = (): PlainAnswer =>
      readyz({
        started: true,
        stopping: this.#stopped !== undefined,
        servers: this.pool.all().map((server) => server.status()),
      })
    const admin = this.#admin()
    this.#entry = admin
    if (admin !== undefined) this.#ends.push(() => admin.close())
    return assembleHttp({ ...this.#parts, ready, ...(admin !== undefined && { admin }) })
  }

  #admin(): AdminEntry | undefined {
    const { store, pool, catalog, auditFeed, latencies, costs, address, logins } = this.#parts
    if (store === undefined || costs === undefined) return undefined
    const url = (): string => address.url ?? ''
    const control = logins === undefined ? {} : { logins: loginControl(logins, pool) }
    const searchApi = (): SearchApiHealth | undefined => this.#parts.cloud.health()
    const live = { searchApi, pool, catalog, client: this.#local, auditFeed, latencies, costs, url, ...control }
    return assembleAdmin({ ...this.#parts, store, live })
  }

  #endpoint(id: string): Endpoint {
    const endpoint = this.models.current().endpoints.get(id)
    if (endpoint === undefined) throw new GatewayError('ENDPOINT_NOT_FOUND', { endpoint: id })
    return endpoint
  }
}
