import { AdminAccess } from './admin/access/admin-access.ts'
import { AdminEntry } from './admin/api/admin-entry.ts'
import type { AdminParts, LiveParts } from './admin/routes/admin-context.ts'
import { AdminSessions } from './admin/access/admin-sessions.ts'
import { costLedger } from './admin/routes/cost-ledger.ts'
import { forwardClock } from './access/tokens.ts'
import { trustPolicy } from './access/trust-policy.ts'
import { AuditFeed } from './audit/audit-feed.ts'
import { CallLatencies } from './audit/call-latencies.ts'
import { Refusals } from './audit/refusals.ts'
import { ParkedCalls } from './calls/parked-calls.ts'
import { ResultStore } from './calls/results/result-store.ts'
import { ToolCaller } from './calls/tool-caller.ts'
import { Approvals } from './catalog/approvals.ts'
import { LastGoodFiles, withListFiles } from './catalog/last-good-files.ts'
import { LiveCatalog } from './catalog/live-catalog.ts'
import { openSearchIndex, type SearchIndex } from './catalog/search-index/open-search-index.ts'
import { catalogName, takeTurns } from './catalog/search-index/engine/engine-turns.ts'
import { PinFiles } from './catalog/pin-files.ts'
import { CONNECTION_LIMITS, type ConnectionLimits } from './clients/http/connections.ts'
import { consoleArea, leadToConsole } from './clients/http/console-files.ts'
import { HttpServer } from './clients/http/http-server.ts'
import { JwtVerifier } from './clients/http/jwt-verifier.ts'
import { RequestAccess } from './clients/http/request-access.ts'
import { storedUses } from './clients/http/stored-uses.ts'
import { answerMetadata, metadataUrl } from './clients/http/resource-metadata.ts'
import { type AreaHandler, plain } from './clients/http/routes.ts'
import { newRequestId } from './clients/mcp/caller.ts'
import { SESSION_LIMITS } from './clients/mcp/sessions.ts'
import { ConnectedClients } from './clients/mcp/connected-clients.ts'
import { EndpointViews } from './clients/mcp/requests/endpoint-view.ts'
import { GatewayRequests } from './clients/mcp/requests/gateway-requests.ts'
import { ListChanges } from './clients/mcp/requests/list-changes.ts'
import { LocalClient } from './clients/mcp/requests/local-client.ts'
import { ResultRequests } from './clients/mcp/requests/result-requests.ts'
import { StartWait } from './clients/mcp/requests/start-wait.ts'
import { ToolRequests } from './clients/mcp/requests/tool-requests.ts'
import { ProgramHomes } from './clients/replicas/program-homes.ts'
import { ProgramHost } from './clients/replicas/program-host.ts'
import { Replicas } from './clients/replicas/replicas.ts'
import { dataPaths } from './config/data-paths.ts'
import type { Machine } from './config/environment.ts'
import { type GatewayConfig, START_GRACE_MS } from './config/gateway-config.ts'
import { LOCAL_PRINCIPAL } from './config/local-access.ts'
import { connectionsWithin } from './config/file-descriptor-limit.ts'
import { declaredIds, type MergedConfig } from './config/merge-config.ts'
import { type DeclaredConfig, declaredAs } from './config/parse-config.ts'
import { ContextCosts } from './exposure/context-costs.ts'
import { type Address, Gateway, type GatewayParts, type HttpSide } from './gateway.ts'
import { fileHash, type GatewayLimits, openCounts, openLimits } from './limits/open-limits.ts'
import type { openSharedLimits } from './limits/open-shared-limits.ts'
import type { AuditLog } from './model/audit.ts'
import type { ModelSource } from './model/gateway-model.ts'
import type { Store } from './model/store.ts'
import { openCloud } from './search/cloud/open-cloud.ts'
import { learnFromCalls } from './search/learning/learn-from-calls.ts'
import { ToolSearch } from './search/tool-search.ts'
import { CALLBACK_PATH, loginPages } from './servers/login/login-pages.ts'
import { loginControl, ServerLogins } from './servers/login/server-logins.ts'
import { SupervisedPool } from './servers/pool/server-pool.ts'
import { connector } from './servers/protocol/connect.ts'
import type { Environment } from './servers/stdio/child-environment.ts'
import { ProcessRegistry } from './servers/stdio/process-registry.ts'
import { ProcessWatcher } from './servers/stdio/process-watcher.ts'
import { systemProcessTable } from './servers/stdio/process-table.ts'
import { transportFactory } from './servers/transports.ts'
import { healthz, type PlainAnswer } from './telemetry/health.ts'
import type { Logger } from './telemetry/logger.ts'
import { meteredAuditLog, type Metrics } from './telemetry/metrics.ts'
import { type Activities, UNWATCHED } from './telemetry/activities.ts'
import { NO_TRACING, type Tracing } from './telemetry/tracing.ts'

/** Everything a gateway needs from outside. */
export interface AssembleOptions {
  readonly config: GatewayConfig
  readonly models: ModelSource
  /** Without a store the configuration cannot be changed while the gateway runs, and lists are kept in files. */
  readonly store?: Store
  /** Makes the limits of all gateways on the store; absent where each keeps its own. Loaded only where it is needed. */
  readonly openSharedLimits?: typeof openSharedLimits
  /** The entries of the configuration file now; none by default. */
  readonly declared?: () => DeclaredConfig
  readonly inForce?: () => MergedConfig
  /** The hash of the secret that opens the admin API for the owner of the data folder. */
  readonly localHash?: string
  readonly logger: Logger
  readonly metrics: Metrics
  readonly audit: AuditLog
  /** No tracing by default. */
  readonly tracing?: Tracing
  /** Names what the main thread does; nothing by default. */
  readonly activities?: Activities
  readonly version: string
  /** When the program was started; by default now. */
  readonly startedAt?: number | undefined
  /** The environment of this process; servers get a few harmless variables of it. */
  readonly environment: Environment
  /** The machine, for the admin API of a gateway that serves it. */
  readonly machine?: Machine | undefined
}

/** Builds a gateway from its parts. Starts nothing. */
export function assemble(options: AssembleOptions): Gateway {
  const { config, models, store, logger, metrics, version, tracing = NO_TRACING, activities = UNWATCHED } = options
  const now = Date.now
  const paths = dataPaths(config.dataDir)

  const table = systemProcessTable(process.platform)
  const unwatched = 'cannot record or watch started processes; they may survive a kill of the gateway'
  const onError = (error: unknown): void => logger.warn({ error: String(error) }, unwatched)
  const watcher = new ProcessWatcher({ dataDir: config.dataDir, platform: process.platform, onError })
  const registry = new ProcessRegistry({ dataDir: config.dataDir, table, watcher, onError })
  const isShared = store !== undefined && config.database !== undefined
  const replicas = new Replicas({ log: logger, ...(isShared && { repository: store.replicas }) })
  const keys = () => store?.signingKeys('programs') ?? []
  const homes = isShared ? new ProgramHomes({ replicas, repository: store.replicas, keys }) : undefined
  const address: Address = {}
  const logins = store === undefined ? undefined : serverLogins(store, address)
  const makeTransport = transportFactory({
    ...{ processes: registry, table, ourEnv: options.environment, logins },
    programHome: homes && ((definition) => homes.homeOf(definition)),
  })
  const connect = connector({ name: 'tooldex', version }, makeTransport)
  const { promise: mayStart, resolve: letServersStart } = Promise.withResolvers<void>()
  const pool = new SupervisedPool({
    ...{ connect, now, random: Math.random, mayStart, logins },
    share: (serverId, limit) => limits.share(`calls ${serverId}`, limit),
  })
  const programs = homes && new ProgramHost({ homes, pool, keys, log: logger })
  const limits: GatewayLimits =
    store?.limits === undefined || options.openSharedLimits === undefined
      ? openLimits(config.rateLimits ?? {})
      : options.openSharedLimits({
          ...{ store: store.limits, rateLimits: config.rateLimits ?? {}, version, log: logger, now },
          file: fileHash(
            () => options.declared?.().value,
            () => store.signingKeys('configuration files'),
          ),
          counts: () => openCounts(pool.all(), side?.http.sessionsPerToken),
          onShares: () => {
            for (const server of pool.all()) server.admitWaiting()
          },
        })
  let side: HttpSide | undefined

  // The BM25 index that stands in for a failing Search API is built while the API answers, not after it failed.
  const cloud = openCloud(config.searchApi, () => void searchIndex.index.provider('bm25'))
  const searchIndex: SearchIndex = openSearchIndex({
    vectorsFolder: paths.vectors,
    indexes: { folder: paths.indexes, version },
    embeddings: config.embeddings,
    cloud: cloud.open,
    ...(config.searchEngine !== undefined && {
      engine: { ...config.searchEngine, catalog: catalogName(store, config.dataDir) },
    }),
    log: logger,
  })
  const approvals = new Approvals({
    pins: store?.pins ?? new PinFiles(paths.pins),
    policy: (serverId) => trustPolicy(models.current(), serverId),
    scan: async (serverId) => {
      const { scannerReady, scanReasons } = await import('./trust/scan-reasons.ts')
      await scannerReady()
      return scanReasons(models.current().acceptedFindings?.get(serverId))
    },
    now,
  })
  const listFiles = new LastGoodFiles(paths.lastGood)
  const catalog = new LiveCatalog({
    pool,
    index: searchIndex.index,
    activities,
    lastGood: store === undefined ? listFiles : withListFiles(store.lastGood, listFiles),
    review: (serverId, kind, entries) => approvals.review(serverId, kind, entries),
    now,
    startedAt: options.startedAt,
    onProblem: ({ serverId, doing, list, error }) =>
      logger.warn(
        { serverId, doing, list, error: error instanceof Error ? error.message : String(error) },
        'a server list has a problem',
      ),
  })

  const audit = new AuditFeed(meteredAuditLog(options.audit, metrics), { keepsQueries: config.audit.queries })
  const refusals = new Refusals({ audit, now, newRequestId })
  const latencies = new CallLatencies()
  audit.onEntry((entry) => latencies.note(entry))
  models.onChange(({ servers }) => latencies.forgetOthers(new Set(servers.map(({ id }) => id))))
  // Requests of the program itself fill no model's context.
  const counted = new ContextCosts(({ tokenId }) => tokenId === LOCAL_PRINCIPAL.tokenId)
  const costs = store === undefined ? undefined : costLedger(store, counted, config.audit, logger)

  const isLearning = config.learning !== false && config.audit.queries
  const learnt = isLearning
    ? learnFromCalls({ models, audit, repository: store?.learned, embedders: searchIndex.embedders, log: logger })
    : undefined

  const views = new EndpointViews({ models, catalog, troubleOf: (id) => pool.get(id)?.status() })
  const search = new ToolSearch({
    provider: (strategy) => catalog.provider(strategy),
    audit,
    now,
    log: logger,
    tracing,
    ...(learnt !== undefined && { learnt }),
  })
  const ownerId = isShared ? replicas.id : ''
  const parked = new ParkedCalls(undefined, undefined, ownerId)
  const calls = new ToolCaller({ servers: pool, audit, now, tracing, parked, log: logger, activities })
  const keptResults = new ResultStore({ folder: paths.results, now, log: logger, ownerId })
  const results = new ResultRequests(keptResults, calls)
  const tools = new ToolRequests({
    calls,
    search,
    results,
    log: logger,
    onEligible: (projectId, count) => metrics.eligibleTools(projectId, count),
    costs: counted,
    views,
  })
  const wait = new StartWait({ catalog, servers: pool, now, graceMs: config.startGraceMs ?? START_GRACE_MS })
  const lists = new ListChanges({ models, catalog, views, tools })
  const answering = { views, tools, results, parked, wait, lists }
  const requests = new GatewayRequests({ ...answering, servers: pool, version, activities })
  const clients = new ConnectedClients()
  const local = new LocalClient({ views, search, requests, tools, version })
  metrics.observe({
    version,
    servers: () => pool.all().map((server) => server.status()),
    toolCount: () => catalog.snapshot().servers.reduce((sum, { tools }) => sum + tools.size, 0),
    parkedCalls: () => parked.size,
    ...(store !== undefined && { store: () => store.figures() }),
  })
  store?.onLag((ms) => metrics.changeApplied(ms))

  const openHttp: GatewayParts['openHttp'] = (ready) => {
    const live = costs && {
      ...{ pool, catalog, client: local, auditFeed: audit, latencies, costs },
      auditBacklog: () => options.audit.backlog?.(),
      searchApi: () => cloud.health(),
      ...(learnt !== undefined && { learnt }),
      url: () => address.url ?? '',
      ...(logins !== undefined && { logins: loginControl(logins, pool) }),
    }
    const admin = store && live && adminEntry(options, { store, live, approvals, refusals, limits })
    const http = httpServer({
      ...options,
      requests,
      clients,
      replicas,
      ready,
      admin,
      logins,
      refusals,
      limits,
      programs,
    })
    side = { http, ...(admin !== undefined && { admin }) }
    return side
  }
  return new Gateway({
    ...{ config, models, logger, pool, catalog, searchIndex, cloud, requests, parked, keptResults },
    ...{ registry, clients, lists, local, address, limits, replicas, programs },
    approvals,
    isDeclared: (serverId: string) => declaredIds(options.declared?.().value ?? {}).server.has(serverId),
    ...(costs !== undefined && { costs }),
    ...(learnt !== undefined && { learnt }),
    ...(logins !== undefined && { logins }),
    isBehind: () => store?.figures().isBehind === true,
    ...(config.searchEngine !== undefined && { engineTurns: () => takeTurns(searchIndex, store) }),
    refusals,
    letServersStart,
    openHttp,
  })
}

function serverLogins({ logins: store }: Store, address: Address): ServerLogins {
  const callbackUrl = () => (address.url === undefined ? undefined : `${address.url}${CALLBACK_PATH}`)
  return new ServerLogins({ store, callbackUrl, now: Date.now })
}

/** The entry to the admin API. The first request loads the API itself, so that an idle gateway needs less memory. */
function adminEntry(
  options: AssembleOptions,
  {
    store,
    live,
    approvals,
    refusals,
    limits,
  }: Pick<AdminParts, 'store' | 'approvals'> & { live: LiveParts; refusals: Refusals; limits: GatewayLimits },
): AdminEntry {
  const { models, declared, localHash, logger, version, config, machine } = options
  const now = forwardClock()
  const tokens = () => store.current().tokens
  const key = (): Buffer => store.signingKey('console sessions')
  const sessions = new AdminSessions({ tokens, key, now, ended: store.replicas })
  const access = new AdminAccess({
    tokens,
    sessions,
    now,
    ...(localHash !== undefined && { localHash }),
    isClientToken: (hash) => models.current().tokens.has(hash),
    onUse: (tokenId, at) => store.noteTokenUse(tokenId, at),
  })
  const nothing = declaredAs({})
  const parts: AdminParts = {
    ...{ store, models, live, approvals, sessions, version, now: Date.now, log: logger, audit: live.auditFeed },
    machine,
    declared: declared ?? (() => nothing),
    inForce: options.inForce,
    startedAt: Date.now(),
    replicaProblems: limits.problems,
    auditLimits: config.audit,
    registries: { sources: config.registries, folder: dataPaths(config.dataDir).registry },
  }
  return new AdminEntry({
    access,
    signInCode: () => sessions.createCode().code,
    load: async () => (await import('./admin/api/admin-api.ts')).createAdminApi(parts),
    log: logger,
    onRefused: (refused) => refusals.note(refused),
    onTokensChanged: (listener) => store.onChange(listener),
    now: () => performance.now(),
    ...(limits.adminAttempts !== undefined && { attempts: limits.adminAttempts }),
  })
}

interface HttpParts extends AssembleOptions, Pick<GatewayParts, 'requests' | 'clients' | 'replicas' | 'programs'> {
  readonly ready: () => PlainAnswer
  readonly admin: AdminEntry | undefined
  readonly logins: ServerLogins | undefined
  readonly refusals: Refusals
  readonly limits: GatewayLimits
}

function httpServer(parts: HttpParts): HttpServer {
  const { config, models, store, requests, clients, replicas, ready, logger, metrics, refusals, limits } = parts
  const { auth } = config
  const now = forwardClock()
  const access = new RequestAccess({
    models,
    now,
    owner: LOCAL_PRINCIPAL,
    ...(auth !== undefined && { jwt: new JwtVerifier({ config: auth, now }) }),
    ...(store !== undefined && { onUse: storedUses(store) }),
  })
  const http = new HttpServer({
    handler: requests,
    access,
    log: logger,
    health: plain(() => healthz()),
    ready: plain(ready),
    metrics: plain(() => metrics.answer()),
    areas: areasOf(parts),
    limits,
    ...(limits.attempts !== undefined && { attempts: limits.attempts }),
    sessionLimits: { ...SESSION_LIMITS, share: (id, most) => limits.share(`sessions ${id}`, most) },
    ...(auth !== undefined && { metadataUrl }),
    host: config.listen.host,
    port: config.listen.port,
    allowedHosts: config.listen.allowedHosts,
    trustedProxies: config.listen.trustedProxies ?? [],
    connectionLimits: connectionLimitsOf(config),
    rightsNow: (client) => access.rightsNow(client),
    programs: parts.programs,
    onRefused: (address, code) => refusals.note({ address, code, transport: 'streamable-http' }),
    clients,
    ...(store !== undefined && {
      shared: { replicas, repository: store.replicas, keys: () => store.signingKeys('sessions') },
    }),
  })
  metrics.observe({
    clients: () => ({ ...http.connectionCounts, sessions: http.sessionCount, requests: http.underWay }),
  })
  // Revoked tokens lose what is open at once; expired ones with the next sweep.
  models.onChange(() => http.sweep())
  return http
}

function areasOf({ admin, logins, config: { auth } }: HttpParts): ReadonlyMap<string, AreaHandler> {
  const areas = new Map<string, AreaHandler>()
  if (admin !== undefined) {
    areas.set('api', (req, res, sender) => admin.handle(req, res, sender).then(() => true))
    areas.set(
      'console',
      consoleArea(async () => (await import('@tooldex/console')).consoleFolder),
    )
    areas.set('', leadToConsole)
  }
  if (logins !== undefined) areas.set('oauth', loginPages(logins))
  if (auth !== undefined) areas.set('.well-known', (req, res) => answerMetadata(req, res, auth))
  return areas
}

function connectionLimitsOf({ listen: { limits } }: GatewayConfig): ConnectionLimits {
  const wished = { ...CONNECTION_LIMITS, ...limits }
  return { ...wished, maxConnections: connectionsWithin(wished.maxConnections) }
}
