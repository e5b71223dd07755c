import { GatewayError } from '../../errors.ts'
import { secretMasker } from '../../model/server-secrets.ts'
import type { ServerDefinition, ServerStatus } from '../../model/server.ts'
import { needsAdministrator, type ServerLogins } from '../login/server-logins.ts'
import { shareableOf, showsUi } from '../protocol/client-capabilities.ts'
import type { Connect } from '../protocol/connect.ts'
import { jsonSize } from '../protocol/json-size.ts'
import { LogBuffer } from '../protocol/log-buffer.ts'
import type { ListKind } from '../protocol/mcp-connection.ts'
import { ServerTraffic } from '../protocol/server-traffic.ts'
import type { ClientLink, RawResult, RequestOptions, Server, ServerEvent, ServerRequest } from '../server.ts'
import { CallLimiter, type EnteringCall } from './call-limiter.ts'
import { ClientInstances, type InstanceBudget, type Place } from './client-instances.ts'
import { Coalescer } from './coalescer.ts'
import { Instance, type InstanceParts } from './instance.ts'
import type { RestartFigures } from './restart-policy.ts'

/** The collaborators of a supervised server. */
export interface SupervisionParts {
  readonly connect: Connect
  readonly emit: (event: ServerEvent) => void
  readonly now: () => number
  readonly random: () => number
  readonly figures?: RestartFigures | undefined
  /** A client's own session at a server behind a URL ends after this long without a request. */
  readonly sessionIdleMs?: number | undefined
  readonly logins?: Pick<ServerLogins, 'linkOf' | 'troubleOf'> | undefined
  /** How much of a server's limit this replica may use, if several share it. */
  readonly share?: ((serverId: string, limit: number) => number) | undefined
  /** Limits the processes for single clients, over all servers. */
  readonly budget?: InstanceBudget | undefined
}

/** Requests that count towards the limit of concurrent calls; lists do not, so that a busy server can still be listed. */
const COUNTED = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete'])
const SET_LEVEL = 'logging/setLevel'
const CHANGES_INTERVAL_MS = 100
const SESSION_IDLE_MS = 600_000
/** How long callers count that could not be served because of others. */
const CONTENDED_MS = 60_000

/** A server that is started on demand, kept within its limits, and restarted after a failure. */
export class SupervisedServer implements Server {
  readonly definition: ServerDefinition
  readonly #parts: SupervisionParts
  readonly #logs: LogBuffer
  readonly #limiter: CallLimiter
  readonly #changes: Coalescer<ListKind>
  /** The instance of all clients; the lists of the server are taken from it. */
  readonly #shared: Instance
  readonly #clients: ClientInstances
  readonly #isProgram: boolean
  #asksClients = false
  #contendedAt = Number.NEGATIVE_INFINITY

  constructor(definition: ServerDefinition, parts: SupervisionParts) {
    const { emit, now } = parts
    const { id: serverId, limits, start, transport } = definition
    this.definition = definition
    this.#parts = parts
    this.#isProgram = transport.kind === 'stdio'
    this.#logs = new LogBuffer({ now, mask: secretMasker(transport) })
    this.#limiter = new CallLimiter(definition, {
      // Every replica has a program of its own, and all share what is behind a URL.
      maxRunning: () =>
        this.#isProgram
          ? limits.maxConcurrentCalls
          : (parts.share?.(serverId, limits.maxConcurrentCalls) ?? limits.maxConcurrentCalls),
      maxWaitMs: limits.callTimeoutMs,
    })
    this.#changes = new Coalescer(CHANGES_INTERVAL_MS, (list) => emit({ kind: 'list-changed', serverId, list }))
    this.#shared = this.#instance({
      logs: this.#logs,
      isEager: start === 'eager',
      idleStopMs: limits.idleStopMs,
      loginUrl: () => parts.logins?.linkOf(serverId),
      events: {
        listChanged: (list) => this.#changes.add(list),
        resourceUpdated: (uri) => emit({ kind: 'resource-updated', serverId, uri }),
        logged: (params) => emit({ kind: 'log', serverId, params }),
        asked: (isAssigned) => this.#asked(isAssigned),
      },
    })
    this.#clients = new ClientInstances({
      make: (client, latest) => this.#clientInstance(client, latest),
      now,
      most: this.#isProgram ? limits.maxInstances : Number.POSITIVE_INFINITY,
      budget: this.#isProgram ? parts.budget : undefined,
    })
  }

  status(): ServerStatus {
    const status = this.#shared.status()
    if (!this.#isProgram) return status
    return { ...status, instances: { perClient: this.#isPerClient, running: this.#clients.running } }
  }

  capabilities(): Readonly<Record<string, unknown>> | undefined {
    return this.#shared.declared?.capabilities
  }

  /** As the server calls itself; absent until it was first connected. */
  serverInfo(): Readonly<Record<string, unknown>> | undefined {
    return this.#shared.declared?.serverInfo
  }

  instructions(): string | undefined {
    return this.#shared.declared?.instructions
  }

  logs(): readonly { readonly at: number; readonly line: string }[] {
    return this.#logs.lines()
  }

  remarks(): readonly string[] {
    return [...new Set([...this.#shared.remarks, ...this.#clients.remarks])]
  }

  asksClients(): boolean {
    return this.#asksClients
  }

  rememberAsking(): void {
    this.#asksClients = true
  }

  isContended(): boolean {
    return this.#limiter.hasWaiting || this.#parts.now() - this.#contendedAt < CONTENDED_MS
  }

  /** Calls under way that count towards a limit of all replicas. */
  get sharedCalls(): number {
    return this.#isProgram ? 0 : this.#limiter.running
  }

  /** Gives waiting calls their turn after the share of this replica has grown. */
  admitWaiting(): void {
    this.#limiter.admit()
  }

  start(): Promise<void> {
    return this.#shared.start()
  }

  async stop(): Promise<void> {
    this.#changes.clear()
    await Promise.all([this.#shared.stop(), this.#clients.closeAll()])
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async closeSession(sessionId: string): Promise<void> {
    await Promise.all([this.#clients.close(sessionId), this.#shared.release(sessionId)])
  }

  notify(sessionId: string, notification: ServerRequest): void {
    this.#clients.get(sessionId)?.notify(notification)
  }

  async request(request: ServerRequest, options: RequestOptions = {}): Promise<RawResult> {
    const isCounted = COUNTED.has(request.method)
    const turn = isCounted ? this.#limiter.enter(turnOf(request, options)) : undefined
    if (turn !== undefined) await turn
    try {
      return await this.#send(request, options)
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'SERVER_NEEDS_LOGIN') throw error
      this.#shared.loggedOut(error)
      throw needsAdministrator(error, this.definition, this.#parts.logins)
    } finally {
      if (isCounted) this.#limiter.leave()
    }
  }

  #send(request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    const { client } = options
    if (client === undefined) return this.#shared.request(request, options)
    if (!this.#isProgram) return this.#sendBehindUrl(client, request, options)
    const place = this.#isPerClient ? this.#placeOf(client, request) : undefined
    return place === undefined ? this.#shared.request(request, options) : this.#sendTo(place, request, options)
  }

  /** A client that the server may ask, or that shows results as apps, has a session of its own there; the others share one. */
  #sendBehindUrl(client: ClientLink, request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    const mayBeAsked = client.answer !== undefined && ASKED.some((capability) => capability in client.capabilities)
    // A server is not connected for a level alone.
    const isForNow = request.method !== SET_LEVEL || this.#shared.isLive
    // A client without a session would have to make its calls one after the other for that.
    const hasOwn = mayBeAsked || (client.group === undefined && showsUi(client.capabilities))
    if (!hasOwn || !isForNow) return this.#shared.request(request, options)
    return this.#sendInOwnSession(client, request, options)
  }

  /** Servers of 2026-07-28 have no sessions. */
  async #sendInOwnSession(client: ClientLink, request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    if ((await this.#shared.era(options.signal)) === 'modern') return this.#shared.request(request, options)
    const { sessionId, group } = client
    const place = group === undefined ? { key: sessionId, owner: client, isAlone: false } : placeOfCall(client, group)
    return this.#sendTo(place, request, options)
  }

  #sendTo(place: Place, request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    if (request.method === SET_LEVEL) return this.#clients.known(place).request(request, options)
    const sent = this.#clients.use(place, (instance) => instance.request(request, options))
    if (sent !== undefined) return sent
    this.#contendedAt = this.#parts.now()
    if (this.definition.instances === 'auto') return this.#shared.request(request, options)
    return Promise.reject(this.#full())
  }

  /** The instance of a program that a client uses where each has one; undefined for the shared one. */
  #placeOf(client: ClientLink, { method }: ServerRequest): Place | undefined {
    const { sessionId, group, capabilities } = client
    if (group === undefined) {
      const { roots: _, ...others } = capabilities
      const mayHaveRoots = this.definition.roots && client.isLocal === true
      return { key: sessionId, owner: mayHaveRoots ? client : { ...client, capabilities: others }, isAlone: false }
    }
    // In 2026-07-28 subscriptions belong to no client, and neither do levels.
    if (!COUNTED.has(method)) return undefined
    if (client.answer !== undefined) return placeOfCall(client, group)
    if (this.definition.instances === 'auto') return undefined
    return { key: group, owner: { sessionId: group, capabilities: {} }, isAlone: false }
  }

  get #isPerClient(): boolean {
    const { instances } = this.definition
    return instances === 'per-client' || (instances === 'auto' && this.#asksClients)
  }

  /** The program asks its clients back on the shared instance. */
  #asked(isAssigned: boolean): void {
    if (!isAssigned) this.#contendedAt = this.#parts.now()
    if (this.#asksClients) return
    this.#asksClients = true
    this.#parts.emit({ kind: 'asks-clients', serverId: this.definition.id })
    this.#tellState()
  }

  #instance(
    parts: Pick<InstanceParts, 'logs' | 'isEager' | 'idleStopMs' | 'events'> & Partial<InstanceParts>,
  ): Instance {
    const { connect, now, random, figures } = this.#parts
    return new Instance({
      definition: this.definition,
      ...{ connect, now, random, figures },
      traffic: new ServerTraffic(now),
      onState: () => this.#tellState(),
      ...parts,
    })
  }

  #clientInstance({ sessionId, group }: ClientLink, owner: () => ClientLink): Instance {
    const { emit, now, sessionIdleMs } = this.#parts
    const { id: serverId, limits, transport } = this.definition
    const instance = this.#instance({
      logs: new LogBuffer({ now, mask: secretMasker(transport), also: this.#logs }),
      owner,
      isEager: false,
      idleStopMs: (this.#isProgram ? limits.idleStopMs : sessionIdleMs) || SESSION_IDLE_MS,
      isKnownLegacy: () => this.#shared.isKnownLegacy,
      events: {
        // Lists are those of the shared instance.
        listChanged: () => {},
        resourceUpdated: (uri) => emit({ kind: 'resource-updated', serverId, uri, sessionId }),
        // Other clients must not read what the server logs for this one.
        logged: (params) => group === undefined && emit({ kind: 'log', serverId, params, sessionId }),
        asked: () => {},
      },
    })
    const level = this.#shared.levelOf(sessionId)
    if (level !== undefined) instance.keepLevel(sessionId, level)
    return instance
  }

  #tellState(): void {
    this.#parts.emit({ kind: 'state', serverId: this.definition.id, status: this.status() })
  }

  #full(): GatewayError {
    const { name } = this.definition
    return new GatewayError('SERVER_BUSY', {
      server: name,
      reason: `"${name}" runs ${this.#clients.running} processes for one client each, and no more may run`,
      remedy: 'Try again when another client has finished, or raise `limits.maxInstances` of the server',
    })
  }
}

/** A call of a client without a session takes turns with the others of its token and endpoint. */
function turnOf({ params }: ServerRequest, { signal, client }: RequestOptions): EnteringCall {
  return { signal, caller: client?.group ?? client?.sessionId, bytes: () => jsonSize(params) }
}

/** The capabilities of a client for which a server may send it requests. */
const ASKED = ['sampling', 'elicitation', 'roots'] as const

/** An instance that calls use one after the other; its owner answers no requests outside of a call. */
function placeOfCall({ capabilities }: ClientLink, group: string): Place {
  const declared = shareableOf(capabilities)
  const key = `${group} ${JSON.stringify(declared)}`
  return { key, owner: { sessionId: key, capabilities: declared, group }, isAlone: true }
}
