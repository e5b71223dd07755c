import { GatewayError } from '../../errors.ts'
import { secretMasker } from '../../model/server-secrets.ts'
import type { ServerDefinition, ServerStatus } from '../../model/server.ts'
import { needsAdministrator, type ServerLogins } from '../login/server-logins.ts'
import type { Connect } from '../protocol/connect.ts'
import { SessionForgotten } from '../protocol/errors.ts'
import { LogBuffer } from '../protocol/log-buffer.ts'
import type { ListKind, McpConnection } from '../protocol/mcp-connection.ts'
import { limitedInstructions } from '../protocol/definition-limits.ts'
import { ServerTraffic } from '../protocol/server-traffic.ts'
import { shareableOf } from '../protocol/client-capabilities.ts'
import type { SendOptions } from '../protocol/open-requests.ts'
import type { ClientLink, RawResult, RequestOptions, Server, ServerEvent, ServerRequest } from '../server.ts'
import { CallLimiter } from './call-limiter.ts'
import { Coalescer } from './coalescer.ts'
import { LogLevels } from './log-levels.ts'
import { Lifecycle } from './lifecycle.ts'
import type { RestartFigures } from './restart-policy.ts'
import { needsOwnConnection, SessionConnections } from './session-connections.ts'
import { Subscriptions } from './subscriptions.ts'

/** The collaborators of a supervised server. */
export interface SupervisionParts {
  readonly connect: Connect
  readonly emit: (event: ServerEvent) => void
  readonly now: () => number
  readonly random: () => number
  readonly figures?: RestartFigures | undefined
  /** A session's own connection is closed after this long without a request. */
  readonly sessionIdleMs?: number | undefined
  readonly logins?: Pick<ServerLogins, 'linkOf' | 'troubleOf'> | undefined
}

/** Requests that count towards the limit of concurrent calls; lists do not, so that a busy server can still be listed. */
const COUNTED = new Set(['tools/call', 'prompts/get', 'resources/read', 'completion/complete'])
const LISTS = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
const SET_LEVEL = 'logging/setLevel'
const SUBSCRIBING = new Set(['resources/subscribe', 'resources/unsubscribe'])
const CHANGES_INTERVAL_MS = 100
const SESSION_IDLE_MS = 600_000
/** The key of subscriptions without a session. */
const NO_SESSION = ''

/** A server that is started on demand, kept within its limits, and restarted after a failure. */
export class SupervisedServer implements Server {
  readonly definition: ServerDefinition
  readonly #parts: SupervisionParts
  readonly #logs: LogBuffer
  readonly #life: Lifecycle
  readonly #limiter: CallLimiter
  readonly #sessions: SessionConnections
  readonly #subscriptions = new Subscriptions()
  readonly #changes: Coalescer<ListKind>
  readonly #traffic: ServerTraffic
  readonly #levels = new LogLevels()
  #instructionsRemark: string | undefined
  #declared: { capabilities: Readonly<Record<string, unknown>>; instructions: string | undefined } | undefined

  constructor(definition: ServerDefinition, parts: SupervisionParts) {
    const { connect, emit, now, random, figures } = parts
    const serverId = definition.id
    this.definition = definition
    this.#parts = parts
    this.#logs = new LogBuffer({ now, mask: secretMasker(definition.transport) })
    this.#limiter = new CallLimiter(definition, definition.limits.maxConcurrentCalls)
    this.#traffic = new ServerTraffic(now)
    this.#changes = new Coalescer(CHANGES_INTERVAL_MS, (list) => emit({ kind: 'list-changed', serverId, list }))
    this.#sessions = new SessionConnections(
      (client, signal, lost) => this.#openForClient(client, signal, lost),
      parts.sessionIdleMs ?? SESSION_IDLE_MS,
      now,
    )
    this.#life = new Lifecycle({
      definition,
      connect,
      logs: this.#logs,
      traffic: this.#traffic,
      now,
      random,
      figures,
      onState: (status) => emit({ kind: 'state', serverId, status }),
      onConnected: (connection) => this.#connected(connection),
      isWatched: () => this.#subscriptions.size > 0,
      loginUrl: () => parts.logins?.linkOf(serverId),
      events: {
        listChanged: (list) => this.#changes.add(list),
        resourceUpdated: (uri) => emit({ kind: 'resource-updated', serverId, uri }),
        logged: (params) => emit({ kind: 'log', serverId, params }),
      },
    })
  }

  status(): ServerStatus {
    return this.#life.status()
  }

  capabilities(): Readonly<Record<string, unknown>> | undefined {
    return this.#declared?.capabilities
  }

  instructions(): string | undefined {
    return this.#declared?.instructions
  }

  logs(): readonly { readonly at: number; readonly line: string }[] {
    return this.#logs.lines()
  }

  remarks(): readonly string[] {
    return [...(this.#instructionsRemark === undefined ? [] : [this.#instructionsRemark]), ...this.#traffic.remarks]
  }

  start(): Promise<void> {
    return this.#life.start()
  }

  async stop(): Promise<void> {
    this.#changes.clear()
    const { name } = this.definition
    const failure = new GatewayError('SERVER_STOPPED', { server: name, reason: `"${name}" was stopped` })
    await Promise.all([this.#life.stop(), this.#sessions.closeAll(failure)])
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  async closeSession(sessionId: string): Promise<void> {
    await this.#sessions.close(sessionId)
    const released = this.#subscriptions.removeSession(sessionId)
    const before = this.#levels.level
    this.#levels.remove(sessionId)
    const { connection } = this.#life
    if (connection === undefined) return
    const { level } = this.#levels
    const requests = [
      ...released.map(unsubscribe),
      ...(level === undefined || level === before ? [] : [setLevel(level)]),
    ]
    await Promise.allSettled(requests.map((request) => connection.request(request, this.#limits({}))))
  }

  async request(request: ServerRequest, options: RequestOptions = {}): Promise<RawResult> {
    const isCounted = COUNTED.has(request.method)
    const turn = isCounted ? this.#limiter.enter(options.signal) : undefined
    if (turn !== undefined) await turn
    try {
      return await this.#life.use(options.signal, (shared) => this.#send(shared, request, options))
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'SERVER_NEEDS_LOGIN') throw error
      this.#life.loggedOut(error)
      throw needsAdministrator(error, this.definition, this.#parts.logins)
    } finally {
      if (isCounted) this.#limiter.leave()
    }
  }

  #send(shared: McpConnection, request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    const { client } = options
    const isOwn = shared.era === 'legacy' && this.definition.transport.kind !== 'stdio' && needsOwnConnection(client)
    if (isOwn) return this.#sendOnOwn(client, request, options)
    if (request.method === SET_LEVEL && shared.era === 'legacy') return this.#setLevelShared(shared, request, options)
    const isSubscribing = SUBSCRIBING.has(request.method)
    return isSubscribing ? this.#subscribeShared(shared, request, options) : this.#sendShared(shared, request, options)
  }

  /** Subscriptions of several sessions to one resource are one subscription at the server. */
  async #subscribeShared(shared: McpConnection, request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    const uri = String(request.params?.['uri'])
    const sessionId = options.client?.sessionId ?? NO_SESSION
    if (request.method === 'resources/unsubscribe') {
      return this.#subscriptions.remove(uri, sessionId) ? this.#sendShared(shared, request, options) : {}
    }
    if (!this.#subscriptions.add(uri, sessionId)) return {}
    return this.#sendShared(shared, request, options).catch((error: unknown) => {
      this.#subscriptions.remove(uri, sessionId)
      throw error
    })
  }

  /** Each session has a level of its own; the server, which all share, gets the most verbose. */
  async #setLevelShared(shared: McpConnection, request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    const before = this.#levels.level
    this.#levels.set(options.client?.sessionId ?? NO_SESSION, String(request.params?.['level']))
    const { level } = this.#levels
    return level === undefined || level === before ? {} : this.#sendShared(shared, setLevel(level), options)
  }

  #sendShared(shared: McpConnection, request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    const limits = this.#limits(options, request)
    const send = (connection: McpConnection) => connection.request(request, limits)
    return orRenewed(shared, () => this.#life.use(options.signal, send), send)
  }

  #sendOnOwn(client: ClientLink, request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    const limits = this.#limits(options, request)
    const isPinning = request.method === 'resources/subscribe'
    const owner = client.group === undefined ? undefined : callOwner(client, client.group)
    const use = (work: (connection: McpConnection) => Promise<RawResult>) =>
      owner === undefined ? this.#sessions.use(client, isPinning, work) : this.#sessions.useAlone(owner, work)
    const send = (connection: McpConnection) => connection.request(request, limits)
    return use((connection) => orRenewed(connection, () => use(send), send))
  }

  /** Repeats the subscriptions, which a restarted server has forgotten. */
  async #connected(connection: McpConnection): Promise<void> {
    const { text, remark } = limitedInstructions(connection.instructions ?? '')
    this.#instructionsRemark = remark
    this.#declared = { capabilities: connection.capabilities, instructions: text === '' ? undefined : text }
    const { level } = this.#levels
    const levels = level === undefined || connection.era !== 'legacy' ? [] : [setLevel(level)]
    const requests = [...this.#subscriptions.uris().map(subscribe), ...levels]
    await Promise.allSettled(requests.map((request) => connection.request(request, this.#limits({}))))
  }

  #openForClient(client: ClientLink, signal: AbortSignal, lost: () => void): Promise<McpConnection> {
    const { definition } = this
    const { connect, emit } = this.#parts
    const { sessionId } = client
    return connect({
      definition,
      signal,
      logs: this.#logs,
      traffic: this.#traffic,
      owner: client,
      isKnownLegacy: this.#life.isKnownLegacy,
      events: {
        // The shared connection gets the same notification.
        listChanged: () => {},
        resourceUpdated: (uri) => emit({ kind: 'resource-updated', serverId: definition.id, uri, sessionId }),
        // Other sessions must not read what the server logs for this one.
        logged: () => {},
        lost,
      },
    })
  }

  #limits(options: RequestOptions, request?: ServerRequest): SendOptions {
    const { limits } = this.definition
    const isList = request === undefined || LISTS.has(request.method)
    const usual = isList ? limits.listTimeoutMs : limits.callTimeoutMs
    const maxTimeoutMs = isList ? limits.listTimeoutMs : limits.maxCallTimeoutMs
    const timeoutMs = Math.min(options.timeoutMs ?? usual, maxTimeoutMs)
    const { client, onNotification } = options
    if (client === undefined || onNotification === undefined) return { ...options, timeoutMs, maxTimeoutMs }
    const admitted = (notification: ServerRequest): void => {
      const isLog = notification.method === 'notifications/message'
      if (!isLog || this.#levels.admits(client.sessionId, notification.params?.['level'])) onNotification(notification)
    }
    return { ...options, onNotification: admitted, timeoutMs, maxTimeoutMs }
  }
}

/** Sends a request again on a new session if the server forgot the old one and refused the request unread. */
async function orRenewed(
  connection: McpConnection,
  again: () => Promise<RawResult>,
  send: (connection: McpConnection) => Promise<RawResult>,
): Promise<RawResult> {
  try {
    return await send(connection)
  } catch (error) {
    if (!(error instanceof SessionForgotten)) throw error
    connection.retire('forgot our session')
    return await again().catch((next: unknown) => {
      throw next instanceof SessionForgotten ? next.failure : next
    })
  }
}

/** The owner of a connection that calls use one after the other; it answers no requests outside of a call. */
function callOwner({ capabilities }: ClientLink, group: string): ClientLink {
  const declared = shareableOf(capabilities)
  return { sessionId: `${group} ${JSON.stringify(declared)}`, capabilities: declared }
}

const setLevel = (level: string): ServerRequest => ({ method: SET_LEVEL, params: { level } })
const subscribe = (uri: string): ServerRequest => ({ method: 'resources/subscribe', params: { uri } })
const unsubscribe = (uri: string): ServerRequest => ({ method: 'resources/unsubscribe', params: { uri } })
