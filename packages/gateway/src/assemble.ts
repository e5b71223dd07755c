import type { Store } from './model/store.ts'
import { assembleCosts } from './assemble-admin.ts'
import { type Address, AssembledGateway } from './assembled-gateway.ts'
import { AuditFeed } from './audit/audit-feed.ts'
import { CallLatencies } from './audit/call-latencies.ts'
import { ParkedCalls } from './calls/parked-calls.ts'
import { ForwardingToolCaller } from './calls/tool-caller.ts'
import { LastGoodFiles } from './catalog/last-good-file.ts'
import { LiveCatalog } from './catalog/live-catalog.ts'
import { withOlderLists } from './catalog/older-lists.ts'
import { openSearchIndex, type SearchIndex } from './catalog/open-search-index.ts'
import { dataPaths } from './config/data-paths.ts'
import { LOCAL_PRINCIPAL } from './config/local-access.ts'
import { ConnectedClients } from './clients/mcp/connected-clients.ts'
import { EndpointViews } from './clients/mcp/requests/endpoint-view.ts'
import { GatewayRequests } from './clients/mcp/requests/gateway-requests.ts'
import { ToolRequests } from './clients/mcp/requests/tool-requests.ts'
import { ContextCosts } from './exposure/context-costs.ts'
import type { AssembleOptions, Gateway } from './gateway.ts'
import { openCloud } from './search/cloud/open-cloud.ts'
import { ToolSearch } from './search/tool-search.ts'
import { connector } from './servers/protocol/connect.ts'
import { CALLBACK_PATH } from './servers/login/callback-page.ts'
import { ServerLogins } from './servers/login/server-logins.ts'
import { SupervisedPool } from './servers/pool/server-pool.ts'
import { ProcessRegistry } from './servers/stdio/process-registry.ts'
import { systemProcessTable } from './servers/stdio/process-table.ts'
import { transportFactory } from './servers/transports.ts'
import { meteredAuditLog } from './telemetry/metrics.ts'
import { NO_TRACING } from './telemetry/tracing.ts'

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
  return new AssembledGateway({
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

function serverLogins({ logins: store }: Store, address: Address): ServerLogins {
  const callbackUrl = () => (address.url === undefined ? undefined : `${address.url}${CALLBACK_PATH}`)
  return new ServerLogins({ store, callbackUrl, now: Date.now })
}
