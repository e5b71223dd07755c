import type { Readable, Writable } from 'node:stream'
import type { Endpoint } from './access/endpoint.ts'
import { DEFAULT_ENDPOINT, type ModelSource } from './access/model.ts'
import type { Principal } from './access/principal.ts'
import type { CostLedger } from './admin/cost-ledger.ts'
import type { Store } from './admin/store.ts'
import { assembleAdmin, assembleCosts } from './assemble-admin.ts'
import { assembleHttp } from './assemble-http.ts'
import { AuditFeed } from './audit/audit-feed.ts'
import type { AuditLog } from './audit/audit-log.ts'
import { CallLatencies } from './audit/call-latencies.ts'
import { ParkedCalls } from './calls/parked-calls.ts'
import { ForwardingToolCaller } from './calls/tool-caller.ts'
import type { Catalog } from './catalog/catalog.ts'
import { LastGoodFiles } from './catalog/last-good-file.ts'
import { descriptionsOf } from './catalog/described-tools.ts'
import { withOlderLists } from './catalog/older-lists.ts'
import { LiveCatalog } from './catalog/live-catalog.ts'
import { openSearchIndex, type SearchIndex } from './catalog/open-search-index.ts'
import { dataPaths } from './config/data-paths.ts'
import type { GatewayConfig } from './config/gateway-config.ts'
import { LOCAL_PRINCIPAL } from './config/local-access.ts'
import { reachableUrl } from './config/reachable-url.ts'
import type { DeclaredConfig } from './config/parse-config.ts'
import { ConnectedClients } from './downstream/connected-clients.ts'
import type { HttpServer } from './downstream/http-server.ts'
import type { AdminEntry } from './downstream/admin-entry.ts'
import { announceChanges } from './downstream/requests/change-announcer.ts'
import { EndpointViews } from './downstream/requests/endpoint-view.ts'
import { GatewayRequests } from './downstream/requests/gateway-requests.ts'
import { type FindOptions, type Found, LocalClient, type ModelApiSnippets } from './downstream/requests/local-client.ts'
import type { RequestHandler } from './downstream/requests/request-handler.ts'
import { ToolRequests } from './downstream/requests/tool-requests.ts'
import { GatewayError } from './errors.ts'
import { ContextCosts } from './exposure/context-costs.ts'
import { type Cloud, openCloud } from './search/cloud/open-cloud.ts'
import type { SearchApiHealth } from './search/cloud/search-api-link.ts'
import { ToolSearch } from './search/tool-search.ts'
import { connector } from './servers/connect.ts'
import type { ServerPool } from './servers/server.ts'
import { CALLBACK_PATH } from './servers/login/callback-page.ts'
import { loginControl, restartOnLogin } from './servers/login/login-control.ts'
import { ServerLogins } from './servers/login/server-logins.ts'
import { SupervisedPool } from './servers/server-pool.ts'
import type { Environment } from './servers/stdio/child-environment.ts'
import { ProcessRegistry } from './servers/stdio/process-registry.ts'
import { systemProcessTable } from './servers/stdio/process-table.ts'
import { transportFactory } from './servers/transports.ts'
import { type PlainAnswer, readyz } from './telemetry/health.ts'
import type { Logger } from './telemetry/logger.ts'
import { meteredAuditLog, type Metrics } from './telemetry/metrics.ts'
import { NO_TRACING, type Tracing } from './telemetry/tracing.ts'

/** A gateway, put together and ready to be started. */
export interface Gateway {
  readonly pool: ServerPool
  readonly catalog: Catalog
  readonly models: ModelSource
  readonly requests: RequestHandler
  /** Ends what a killed gateway left behind, starts servers, takes connections. */
  listen(): Promise<{ readonly url: string; readonly port: number }>
  /** Starts servers without listening: for commands that need them once. */
  startServers(): Promise<void>
  /** Serves one client over standard streams until it leaves. */
  serveStdio(
    principal: Principal,
    streams: { readonly input: Readable; readonly output: Writable },
    endpointId?: string,
  ): Promise<void>
  find(queries: readonly string[], options: FindOptions): Promise<Found>
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<Readonly<Record<string, unknown>>>
  /** The tools that a client of the endpoint is shown. */
  list(endpointId: string, principal: Principal): readonly object[]
  /** Ready parts of model API requests that connect an endpoint at a URL. */
  snippets(endpointId: string, url: string, principal: Principal): ModelApiSnippets
  /** How the Search API is doing; undefined where none is configured. */
  searchApiHealth(): SearchApiHealth | undefined
  /** A code that signs a browser in to the console, once and soon; absent before it listens and without a store. */
  signInCode(): string | undefined
  /** Leaves no process behind. Safe to call twice. */
  stop(): Promise<void>
}

/** On whose behalf, and through which endpoint. */
export interface CallOptions {
  readonly principal: Principal
  readonly endpointId?: string
}

/** What a gateway is made of. */
export interface AssembleOptions {
  readonly config: GatewayConfig
  readonly models: ModelSource
  /** Without it nothing can be changed while the gateway runs, and lists are kept in files. */
  readonly store?: Store
  /** What the file declares now; nothing without. */
  readonly declared?: () => DeclaredConfig
  /** The hash of the secret that opens the admin API for the owner of the data folder. */
  readonly localHash?: string
  readonly logger: Logger
  readonly metrics: Metrics
  readonly audit: AuditLog
  /** Nothing is traced without. */
  readonly tracing?: Tracing
  readonly version: string
  /** The program's own environment; servers get a few harmless variables of it. */
  readonly environment: Environment
}

/** Loading what connecting needs keeps everybody waiting: who is there already comes first. */
const CLIENTS_FIRST_MS = 100

/** Puts the parts together. Nothing starts before it is told to. */
export function assemble(options: AssembleOptions): Gateway {
  const { config, models, logger, metrics, version, tracing = NO_TRACING } = options
  const now = Date.now
  const table = systemProcessTable(process.platform)
  const onError = (error: unknown): void => logger.warn({ error: String(error) }, 'started processes cannot be noted')
  const registry = new ProcessRegistry({ dataDir: config.dataDir, table, onError })
  const address: Address = {}
  const logins = options.store === undefined ? undefined : serverLogins(options.store, address)
  const makeTransport = transportFactory({ processes: registry, table, ourEnv: options.environment, logins })
  const connect = connector({ name: 'tooldex', version }, makeTransport)
  const { promise: mayStart, resolve: letServersStart } = Promise.withResolvers<void>()
  const pool = new SupervisedPool({ connect, now, random: Math.random, mayStart, logins })
  const paths = dataPaths(config.dataDir)
  const { embeddings } = config
  // What stands in for a service is indexed while the service is asked, not after it failed.
  const cloud = openCloud(config.searchApi, () => void searchIndex.index.provider('bm25'))
  const searchIndex: SearchIndex = openSearchIndex({
    vectorsFolder: paths.vectors,
    embeddings,
    cloud: cloud.open,
    log: logger,
  })
  const older = new LastGoodFiles(paths.lastGood)
  const catalog = new LiveCatalog({
    pool,
    index: searchIndex.index,
    lastGood: options.store === undefined ? older : withOlderLists(options.store.lastGood, older),
    now,
    onProblem: ({ serverId, doing, list, error }) =>
      logger.warn(
        { serverId, doing, list, error: error instanceof Error ? error.message : String(error) },
        'a server is not as it should be',
      ),
  })
  const audit = new AuditFeed(meteredAuditLog(options.audit, metrics))
  const latencies = new CallLatencies()
  audit.onEntry((entry) => latencies.note(entry))
  models.onChange(({ servers }) => latencies.forgetOthers(new Set(servers.map(({ id }) => id))))
  // What the program asks itself costs no model anything.
  const counted = new ContextCosts(({ tokenId }) => tokenId === LOCAL_PRINCIPAL.tokenId)
  const costs = options.store === undefined ? undefined : assembleCosts({ ...options, store: options.store, counted })
  const views = new EndpointViews({ models, catalog, troubleOf: (id) => pool.get(id)?.status() })
  const search = new ToolSearch({
    provider: (strategy) => catalog.provider(strategy),
    audit,
    now,
    log: logger,
    tracing,
  })
  const parked = new ParkedCalls()
  const tools = new ToolRequests({
    calls: new ForwardingToolCaller({ servers: pool, audit, now, tracing, parked }),
    search,
    log: logger,
    onEligible: (projectId, count) => metrics.eligibleTools(projectId, count),
    costs: counted,
  })
  const requests = new GatewayRequests({ views, tools, servers: pool, parked, version })
  const clients = new ConnectedClients()
  metrics.observe({
    servers: () => pool.all().map((server) => server.status()),
    toolCount: () => catalog.snapshot().tools.size,
  })
  return new RunningGateway({
    ...options,
    pool,
    catalog,
    searchIndex,
    cloud,
    requests,
    views,
    search,
    tools,
    parked,
    registry,
    clients,
    auditFeed: audit,
    latencies,
    ...(costs !== undefined && { costs }),
    address,
    ...(logins !== undefined && { logins }),
    letServersStart,
  })
}

interface Parts extends AssembleOptions {
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

class RunningGateway implements Gateway {
  readonly pool: SupervisedPool
  readonly catalog: LiveCatalog
  readonly models: ModelSource
  readonly requests: GatewayRequests
  readonly #parts: Parts
  readonly #local: LocalClient
  readonly #ends: (() => void)[] = []
  #http: HttpServer | undefined
  #entry: AdminEntry | undefined
  #started: Promise<void> | undefined
  #stopped: Promise<void> | undefined

  constructor(parts: Parts) {
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
    const [{ serveOverStdio }] = await Promise.all([import('./downstream/stdio.ts'), this.#ready()])
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

/** Where the gateway can be reached, once it listens. */
interface Address {
  url?: string
}

function serverLogins({ logins: store }: Store, address: Address): ServerLogins {
  const callbackUrl = () => (address.url === undefined ? undefined : `${address.url}${CALLBACK_PATH}`)
  return new ServerLogins({ store, callbackUrl, now: Date.now })
}
