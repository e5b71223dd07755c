import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { forwardClock } from './access/tokens.ts'
import type { AdminEntry } from './admin/api/admin-entry.ts'
import type { Refusals } from './audit/refusals.ts'
import type { CostLedger } from './admin/routes/cost-ledger.ts'
import type { ParkedCalls } from './calls/parked-calls.ts'
import type { ResultStore } from './calls/results/result-store.ts'
import { trustPolicy } from './access/trust-policy.ts'
import type { Approvals } from './catalog/approvals.ts'
import type { Catalog, CatalogServer } from './catalog/catalog.ts'
import type { HeldDefinition } from './catalog/review-definitions.ts'
import { descriptionsOf } from './catalog/search-index/indexed-tools.ts'
import type { LiveCatalog } from './catalog/live-catalog.ts'
import type { SearchIndex } from './catalog/search-index/open-search-index.ts'
import type { HttpServer } from './clients/http/http-server.ts'
import type { ConnectedClients } from './clients/mcp/connected-clients.ts'
import type { ProgramHost } from './clients/replicas/program-host.ts'
import type { Replicas } from './clients/replicas/replicas.ts'
import { announceChanges } from './clients/mcp/requests/change-announcer.ts'
import type { GatewayRequests } from './clients/mcp/requests/gateway-requests.ts'
import type { ListChanges } from './clients/mcp/requests/list-changes.ts'
import type { FindOptions, Found, LocalClient, ModelApiSnippets } from './clients/mcp/requests/local-client.ts'
import type { RequestHandler } from './clients/mcp/requests/request-handler.ts'
import { type GatewayConfig, reachableUrl, replicaUrl } from './config/gateway-config.ts'
import { GatewayError } from './errors.ts'
import { resolveSettings } from './exposure/resolve-settings.ts'
import { tokensOfTool } from './exposure/token-estimate.ts'
import { inSlices, type Steps } from './in-slices.ts'
import type { GatewayLimits } from './limits/open-limits.ts'
import type { Endpoint } from './model/endpoint.ts'
import { DEFAULT_ENDPOINT, type GatewayModel, type ModelSource } from './model/gateway-model.ts'
import type { Principal } from './model/principal.ts'
import type { ProjectUses } from './search/learning/project-uses.ts'
import type { ServerDefinition } from './model/server.ts'
import type { Turn } from './model/store.ts'
import type { Cloud } from './search/cloud/open-cloud.ts'
import type { SearchApiHealth } from './search/cloud/search-api-link.ts'
import { restartOnLogin, type ServerLogins } from './servers/login/server-logins.ts'
import type { SupervisedPool } from './servers/pool/server-pool.ts'
import type { ServerPool } from './servers/server.ts'
import type { ProcessRegistry } from './servers/stdio/process-registry.ts'
import { type PlainAnswer, readyz } from './telemetry/health.ts'
import type { Logger } from './telemetry/logger.ts'

/** Servers start this long after the listener: loading their code blocks the process, and connected clients come first. */
const CLIENTS_FIRST_MS = 100
/** How long connections wait for the search index; `readyz` says when it is there. */
const WARM_UP_MS = 1_000

const PARKED_CHECK_MS = 100

/** The parts of a gateway. `assemble` makes them. @internal */
export interface GatewayParts {
  readonly config: GatewayConfig
  readonly models: ModelSource
  readonly logger: Logger
  readonly pool: SupervisedPool
  readonly catalog: LiveCatalog
  readonly approvals: Approvals
  /** Whether a server is declared in the configuration file. */
  readonly isDeclared: (serverId: string) => boolean
  readonly searchIndex: SearchIndex
  /** Begins to take turns at writing the engine of the index; undefined without an engine. */
  readonly engineTurns?: (() => Turn | undefined) | undefined
  readonly cloud: Cloud
  readonly requests: GatewayRequests
  readonly parked: ParkedCalls
  readonly keptResults: ResultStore
  readonly registry: ProcessRegistry
  readonly clients: ConnectedClients
  readonly replicas: Replicas
  /** Absent where no other gateway shares the database. */
  readonly programs?: ProgramHost | undefined
  readonly lists: ListChanges
  readonly local: LocalClient
  readonly address: Address
  readonly limits: GatewayLimits
  /** Whether the gateway serves the state that it last knew, because it has not reached its database yet. */
  readonly isBehind: () => boolean
  /** Absent without a store. */
  readonly costs?: CostLedger
  /** Absent where no search learns. */
  readonly learnt?: ProjectUses
  /** Absent without a store. */
  readonly logins?: ServerLogins
  readonly refusals: Refusals
  /** Lets the servers start that are set to start automatically. */
  readonly letServersStart: () => void
  /** Makes the HTTP side: only a gateway that listens needs it. */
  readonly openHttp: (ready: () => PlainAnswer) => HttpSide
}

/** The HTTP server, and the admin API behind it where there is a store. @internal */
export interface HttpSide {
  readonly http: HttpServer
  readonly admin?: AdminEntry
}

/** The URL of the gateway, once it listens. @internal */
export interface Address {
  url?: string
}

/** The principal of a local call, and the endpoint it goes through. */
export interface CallOptions {
  readonly principal: Principal
  readonly endpointId?: string
}

/** A gateway: starts its parts, uses them and stops them. */
export class Gateway {
  readonly pool: ServerPool
  readonly catalog: Catalog
  readonly models: ModelSource
  readonly requests: RequestHandler
  readonly #parts: GatewayParts
  readonly #onStop: (() => void)[] = []
  #reconciling = 0
  #side: HttpSide | undefined
  #started: Promise<void> | undefined
  #engineTurn: Turn | undefined
  /** Whether the first search is as fast as the next. */
  #isWarm = false
  #isDraining = false
  #stopped: Promise<void> | undefined

  /** Use `assemble`. @internal */
  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.pool = parts.pool
    this.catalog = parts.catalog
    this.models = parts.models
    this.requests = parts.requests
  }

  /** Starts the servers without listening: for commands that need them once. */
  async startServers(): Promise<void> {
    await this.#ready()
    this.#parts.letServersStart()
  }

  /**
   * Ends processes that a killed gateway left behind, accepts connections, then starts the servers. The stored lists of
   * the previous run answer clients while the servers start.
   */
  async listen(): Promise<{ readonly url: string; readonly port: number }> {
    this.#parts.searchIndex.index.expectSearches()
    await this.#ready()
    const warmed = this.#warmUp().then(() => void (this.#isWarm = true))
    await Promise.race([warmed, delay(WARM_UP_MS, undefined, { ref: false })])
    this.#parts.limits.start()
    const { url, port } = await this.#openHttp().listen()
    const { config, address, replicas } = this.#parts
    address.url = reachableUrl(url, config.listen)
    await replicas.start(replicaUrl(url, config.listen))
    const timer = setTimeout(this.#parts.letServersStart, CLIENTS_FIRST_MS)
    this.#onStop.push(() => clearTimeout(timer))
    return { url, port }
  }

  /**
   * Serves one client over standard streams until it disconnects.
   * @param principal its rights as they are now, asked with every request; throws TOKEN_INVALID once it has none
   */
  async serveStdio(
    principal: () => Principal,
    { input, output }: { readonly input: Readable; readonly output: Writable },
    endpointId: string = DEFAULT_ENDPOINT,
  ): Promise<void> {
    const [{ serveOverStdio, stdioAccess }] = await Promise.all([import('./clients/sdk/stdio.ts'), this.#ready()])
    const { models, requests, clients, logger } = this.#parts
    const connection = serveOverStdio({
      handler: requests,
      log: logger,
      access: stdioAccess({ models, endpointId, principal, now: forwardClock() }),
      input,
      output,
      clients,
    })
    this.#parts.letServersStart()
    await connection.closed
  }

  /** Searches the tools that the principal may use. */
  find(queries: readonly string[], options: FindOptions): Promise<Found> {
    return this.#parts.local.find(queries, this.#endpoint(options.endpointId ?? DEFAULT_ENDPOINT), options)
  }

  /** Calls a tool by its key or exposed name. */
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    { principal, endpointId = DEFAULT_ENDPOINT }: CallOptions,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.#parts.local.call(tool, args, this.#endpoint(endpointId), principal)
  }

  /** Definitions that wait for approval, or that a person refused. */
  held(): readonly HeldDefinition[] {
    return this.#parts.approvals.held()
  }

  /** The tools that `tools/list` shows to a client of the endpoint. */
  list(endpointId: string, principal: Principal): readonly object[] {
    return this.#parts.local.list(this.#endpoint(endpointId), principal)
  }

  /** Parts of model API requests that connect an endpoint at a URL. */
  snippets(endpointId: string, url: string, principal: Principal): ModelApiSnippets {
    return this.#parts.local.snippets(this.#endpoint(endpointId), principal, url)
  }

  /** The health of the Search API; undefined where none is configured. */
  searchApiHealth(): SearchApiHealth | undefined {
    return this.#parts.cloud.health()
  }

  /** A code that signs a browser in to the console, once and soon; absent before it listens and without a store. */
  signInCode(): string | undefined {
    return this.#side?.admin?.signInCode()
  }

  /** How many requests of HTTP clients are being answered. */
  get requestsUnderWay(): number {
    return this.#side?.http.underWay ?? 0
  }

  /**
   * Is no longer ready and begins no more sessions; resolves once no request is under way, or with the signal. With other
   * replicas, which pass the answers on, it waits for parked calls as well.
   */
  async drain(until: AbortSignal): Promise<void> {
    this.#isDraining = true
    const { replicas, parked } = this.#parts
    await this.#side?.http.drain(until)
    while (parked.size > 0 && replicas.another() !== undefined && !until.aborted) {
      await delay(PARKED_CHECK_MS, undefined, { signal: until }).catch(() => undefined)
    }
    await this.#side?.http.idle(until)
    await this.#parts.programs?.leave(until)
    await this.#side?.http.refuseConnections(until)
  }

  /** Stops everything and leaves no process behind. Safe to call twice. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  /** Resolves once the stored lists of the previous run are loaded; no server runs yet. */
  #ready(): Promise<void> {
    this.#started ??= this.#start()
    return this.#started
  }

  async #start(): Promise<void> {
    const { registry, pool, catalog, models, clients, lists, logger, logins } = this.#parts
    await this.#parts.keptResults.start()
    const { ended } = await registry.sweep()
    if (ended > 0) logger.info({ ended }, 'ended server processes that a previous run left behind')
    const { index } = this.#parts.searchIndex
    this.#engineTurn = this.#parts.engineTurns?.()
    index.describe(descriptionsOf(models.current().projects.values()))
    this.#onStop.push(
      models.onChange(({ projects }, previous) => {
        if (projects !== previous.projects) index.describe(descriptionsOf(projects.values()))
      }),
    )
    const onProblem = (err: unknown): void => logger.error({ err }, 'cannot tell which clients have a changed list')
    this.#onStop.push(announceChanges({ models, catalog, pool, lists, onProblem }, clients))
    if (logins !== undefined) this.#onStop.push(restartOnLogin(logins, pool))
    this.#onStop.push(models.onChange((model, previous) => void this.#follow(model, previous)))
    this.#onStop.push(this.#parts.approvals.follow((serverIds) => this.#decided(serverIds)))
    await this.#reconcile(models.current().servers, () => catalog.start())
  }

  /** Takes over a changed configuration. */
  async #follow(model: GatewayModel, previous: GatewayModel): Promise<void> {
    const policyParts = ['servers', 'serverTools', 'trust', 'projects'] as const
    if (policyParts.every((part) => model[part] === previous[part])) return
    // The mode of a server decides whether its program is held.
    if (model.servers !== previous.servers || model.trust !== previous.trust) await this.#reconcile(model.servers)
    const policyOf = (each: GatewayModel, id: string): string => {
      const { mode, denied } = trustPolicy(each, id)
      return [mode, ...denied].join('\n')
    }
    const changed = model.servers.map(({ id }) => id).filter((id) => policyOf(model, id) !== policyOf(previous, id))
    await this.#parts.catalog.reviewAgain(changed)
  }

  /** Serves what an administrator approved. */
  async #decided(serverIds: readonly string[]): Promise<void> {
    await this.#reconcile(this.models.current().servers)
    await this.#parts.catalog.reviewAgain(serverIds)
  }

  async #reconcile(
    servers: readonly ServerDefinition[],
    collect: () => Promise<void> = () => this.#parts.catalog.serversChanged(),
  ): Promise<void> {
    const { approvals, isDeclared, pool } = this.#parts
    const run = ++this.#reconciling
    const programs = servers.map((server) => approvals.holdsProgram(server, isDeclared(server.id)))
    // Most configurations hold no program and take effect at once.
    const held = programs.some((each) => each.mayHold) ? await Promise.all(programs.map(({ holds }) => holds)) : []
    const definitions = servers.map((server, at) => (held[at] === true ? { ...server, isHeld: true } : server))
    // A newer configuration may have been taken over meanwhile.
    const reconciled = run === this.#reconciling ? pool.reconcile(definitions) : undefined
    await collect()
    await reconciled
  }

  /** Has the indexes of all strategies in use ready before clients connect, if they can be loaded. */
  async #warmUp(): Promise<void> {
    const { endpoints, projects } = this.models.current()
    const strategies = Array.from(endpoints.values(), ({ disclosure, projectId }) => {
      const { strategy } = resolveSettings(disclosure, projects.get(projectId)?.disclosure ?? {})
      return strategy ?? []
    })
    await inSlices(sizesOf(this.catalog.snapshot().servers))
    await this.#parts.searchIndex.index.warmUp(new Set(strategies.flat()))
  }

  async #stop(): Promise<void> {
    for (const stop of this.#onStop) stop()
    const { cloud, parked, keptResults, pool, catalog, registry, searchIndex, costs, learnt, refusals } = this.#parts
    const { replicas } = this.#parts
    cloud.close()
    parked.close()
    await this.#parts.programs?.close()
    await Promise.all([replicas.stop(), this.#side?.http.close(), pool.stop(), searchIndex.index.save()])
    await this.#engineTurn?.close()
    await searchIndex.index.close()
    await searchIndex.embedders.close()
    await catalog.stop()
    await keptResults.stop()
    await registry.close()
    await this.#parts.limits.stop()
    await costs?.stop()
    await learnt?.stop()
    refusals.flush(true)
  }

  #openHttp(): HttpServer {
    const side = this.#parts.openHttp(() =>
      readyz({
        started: this.#isWarm,
        stopping: this.#isDraining || this.#stopped !== undefined,
        servers: this.pool.all().map((server) => server.status()),
        isBehind: this.#parts.isBehind(),
      }),
    )
    this.#side = side
    this.#onStop.push(() => side.admin?.close())
    return side.http
  }

  #endpoint(id: string): Endpoint {
    const endpoint = this.models.current().endpoints.get(id)
    if (endpoint === undefined) throw new GatewayError('ENDPOINT_NOT_FOUND', { endpoint: id })
    return endpoint
  }
}

/** Measures the definitions of tools once: otherwise the first request of a large project would do so, in one go. */
function* sizesOf(servers: readonly CatalogServer[]): Steps<void> {
  for (const { tools } of servers) {
    for (const { definition } of tools.values()) {
      tokensOfTool(definition)
      yield
    }
  }
}
