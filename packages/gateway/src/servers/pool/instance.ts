import type { ServerStatus } from '../../model/server.ts'
import { limitedInstructions } from '../protocol/definition-limits.ts'
import { SessionForgotten } from '../protocol/errors.ts'
import type { McpConnection } from '../protocol/mcp-connection.ts'
import type { SendOptions } from '../protocol/open-requests.ts'
import type { GatewayError } from '../../errors.ts'
import type { RawResult, RequestOptions, ServerRequest } from '../server.ts'
import { Lifecycle, type LifecycleParts } from './lifecycle.ts'
import { LogLevels } from './log-levels.ts'
import { Subscriptions } from './subscriptions.ts'

/** The collaborators of an instance. */
export type InstanceParts = Omit<LifecycleParts, 'onConnected' | 'isWatched'>

/** What a server declared when it was last connected. */
export interface Declared {
  readonly serverInfo: Readonly<Record<string, unknown>>
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly instructions: string | undefined
  /** Present if the instructions were cut. */
  readonly remark: string | undefined
}

const LISTS = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
const SET_LEVEL = 'logging/setLevel'
const SUBSCRIBING = new Set(['resources/subscribe', 'resources/unsubscribe'])
/** The key of subscriptions and levels without a session. */
const NO_SESSION = ''

/**
 * One process of a program, or one session at a server behind a URL: that of all clients, or that of one. It is started on
 * demand and after a failure, and told again what clients subscribed to and which level they set.
 */
export class Instance {
  readonly #parts: InstanceParts
  readonly #life: Lifecycle
  readonly #subscriptions = new Subscriptions()
  readonly #levels = new LogLevels()
  #declared: Declared | undefined

  constructor(parts: InstanceParts) {
    this.#parts = parts
    this.#life = new Lifecycle({
      ...parts,
      onConnected: (connection) => this.#connected(connection),
      isWatched: () => this.#subscriptions.size > 0,
    })
  }

  /** Absent until it was first connected. */
  get declared(): Declared | undefined {
    return this.#declared
  }

  get isLive(): boolean {
    return this.#life.isLive
  }

  get isKnownLegacy(): boolean {
    return this.#life.isKnownLegacy
  }

  /** Whether it has to know of something when it starts again: a subscription, or the level of a client. */
  get isKept(): boolean {
    return this.#subscriptions.size > 0 || this.#levels.level !== undefined
  }

  /** Whether it has subscriptions, whose notifications would be missed without it. */
  get isWatched(): boolean {
    return this.#subscriptions.size > 0
  }

  get remarks(): readonly string[] {
    const { remark } = this.#declared ?? {}
    return [...(remark === undefined ? [] : [remark]), ...this.#parts.traffic.remarks]
  }

  status(): ServerStatus {
    return this.#life.status()
  }

  /** The level that a session set. */
  levelOf(sessionId: string): string | undefined {
    return this.#levels.of(sessionId)
  }

  /** Sets the level of a session for the next connection. */
  keepLevel(sessionId: string, level: string): void {
    this.#levels.set(sessionId, level)
  }

  start(): Promise<void> {
    return this.#life.start()
  }

  stop(): Promise<void> {
    return this.#life.stop()
  }

  loggedOut(failure: GatewayError): void {
    this.#life.loggedOut(failure)
  }

  /** The era of the server, which is connected if it is not known yet. */
  async era(signal: AbortSignal | undefined): Promise<'legacy' | 'modern'> {
    return this.#life.isKnownLegacy ? 'legacy' : this.#life.use(signal, async ({ era }) => era)
  }

  /** Starts it if necessary, then sends. A level is kept for the next start if it does not run. */
  request(request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    if (request.method === SET_LEVEL) return this.#setLevel(request, options)
    return this.#life.use(options.signal, (connection) =>
      SUBSCRIBING.has(request.method)
        ? this.#subscribe(connection, request, options)
        : this.#send(connection, request, options),
    )
  }

  /** Passes a notification on; one that does not run learns of everything when it starts. */
  notify(notification: ServerRequest): void {
    this.#life.connection?.notify(notification)
  }

  /** Ends the subscriptions and the level of a session. */
  async release(sessionId: string): Promise<void> {
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

  /** Subscriptions of several sessions to one resource are one subscription at the server. */
  async #subscribe(connection: McpConnection, request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    const uri = String(request.params?.['uri'])
    const sessionId = options.client?.sessionId ?? NO_SESSION
    if (request.method === 'resources/unsubscribe') {
      return this.#subscriptions.remove(uri, sessionId) ? this.#send(connection, request, options) : {}
    }
    if (!this.#subscriptions.add(uri, sessionId)) return {}
    return this.#send(connection, request, options).catch((error: unknown) => {
      this.#subscriptions.remove(uri, sessionId)
      throw error
    })
  }

  /** Each session has a level of its own; a server that sessions share gets the most verbose. */
  async #setLevel(request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    const before = this.#levels.level
    this.#levels.set(options.client?.sessionId ?? NO_SESSION, String(request.params?.['level']))
    const { connection } = this.#life
    if (connection === undefined) return {}
    if (connection.era === 'modern') return this.#send(connection, request, options)
    const { level } = this.#levels
    const isNeeded = level !== undefined && level !== before && 'logging' in connection.capabilities
    return isNeeded ? this.#send(connection, setLevel(level), options) : {}
  }

  #send(connection: McpConnection, request: ServerRequest, options: RequestOptions): Promise<RawResult> {
    const limits = this.#limits(options, request)
    const send = (usable: McpConnection) => usable.request(request, limits)
    return orRenewed(connection, () => this.#life.use(options.signal, send), send)
  }

  /** Repeats subscriptions and levels, which a restarted server has forgotten. */
  async #connected(connection: McpConnection): Promise<void> {
    const { capabilities, serverInfo } = connection
    const { text, remark } = limitedInstructions(connection.instructions ?? '')
    this.#declared = { serverInfo, capabilities, instructions: text === '' ? undefined : text, remark }
    const { level } = this.#levels
    const isLevelled = level !== undefined && connection.era === 'legacy' && 'logging' in capabilities
    const requests = [...this.#subscriptions.uris().map(subscribe), ...(isLevelled ? [setLevel(level)] : [])]
    const sent = requests.map((request) => connection.request(request, this.#limits({})))
    // In 2026-07-28 each request names the level of its client.
    const levels = connection.era === 'modern' ? this.#levels.entries() : []
    const named = levels.map(([sessionId, each]) =>
      connection.request(setLevel(each), { ...this.#limits({}), client: { sessionId, capabilities: {} } }),
    )
    await Promise.allSettled([...sent, ...named])
  }

  #limits(options: RequestOptions, request?: ServerRequest): SendOptions {
    const { limits } = this.#parts.definition
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

const setLevel = (level: string): ServerRequest => ({ method: SET_LEVEL, params: { level } })
const subscribe = (uri: string): ServerRequest => ({ method: 'resources/subscribe', params: { uri } })
const unsubscribe = (uri: string): ServerRequest => ({ method: 'resources/unsubscribe', params: { uri } })
