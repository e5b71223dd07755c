import {
  type Client,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  SERVER_INFO_META_KEY,
} from '@modelcontextprotocol/client'
import { isRecord } from '@tooldex/http-kit/json'
import type { GatewayError } from '../../errors.ts'
import type { ServerDefinition } from '../../model/server.ts'
import type { ClientLink, RawResult, ServerRequest } from '../server.ts'
import { ChangeStream } from './change-stream.ts'
import { type Asked, ClientRequests } from './client-requests.ts'
import { crashed, exitReason, notParked, type ServerLabel } from './errors.ts'
import { HeaderParameters } from './header-parameters.ts'
import { withEntriesRead } from './list-entries.ts'
import type { OpenRequests, SendOptions } from './open-requests.ts'
import type { ServerTraffic } from './server-traffic.ts'
import type { ServerTransport } from './server-transport.ts'

/** The lists whose changes a server reports. */
export type ListKind = 'tools' | 'prompts' | 'resources'

/** What a connection reports as it happens. */
export interface ConnectionEvents {
  readonly listChanged: (list: ListKind) => void
  readonly resourceUpdated: (uri: string) => void
  /** A log message that belongs to no single request. */
  readonly logged: (params: Readonly<Record<string, unknown>>) => void
  /** The server asks for a client on a connection that clients share; it may be impossible to tell which one is meant. */
  readonly asked: (isAssigned: boolean) => void
  /** The connection cannot be used any more; not called when we closed it. */
  readonly lost: (failure: GatewayError) => void
}

/** What a live connection is made of. */
interface ConnectionParts {
  readonly definition: ServerLabel & Pick<ServerDefinition, 'instances'>
  readonly client: Client
  readonly transport: ServerTransport
  readonly requests: OpenRequests
  readonly self: Self
  /** The client that owns the connection, if one does: it gets the server's requests. */
  readonly owner?: ClientLink | undefined
  readonly asked: Asked
  /** The capabilities that the server was told. */
  readonly declared: ClientLink['capabilities']
  readonly events: ConnectionEvents
  readonly traffic: ServerTraffic
}

/** Methods that do not exist in the 2026-07-28 era. */
const BRIDGED: ReadonlySet<string> = new Set([
  'ping',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
])

/** One live connection: the SDK's client does handshake and listening, our own requests use the same transport beside it. */
export class McpConnection {
  readonly era: 'legacy' | 'modern'
  readonly #parts: ConnectionParts
  readonly #requests: OpenRequests
  readonly #clientRequests: ClientRequests
  readonly #changes: ChangeStream | undefined
  readonly #headers = new HeaderParameters()
  readonly #logLevels = new Map<string, string>()
  #owner: ClientLink | undefined
  #isClosing = false
  #isLost = false
  #closing: Promise<void> | undefined
  /** Requests of the older eras that were translated to 2026-07-28. */
  #bridged = 0

  /** The client is connected already; from now on this object receives the messages. */
  constructor(parts: ConnectionParts) {
    const { client, transport, requests } = parts
    this.#parts = parts
    this.#owner = parts.owner
    this.era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy'
    const isModern = this.era === 'modern'
    requests.attach(transport, isModern ? envelopeFor(parts.self) : undefined)
    this.#requests = requests
    const { asked, declared, events } = parts
    const { instances } = parts.definition
    const onAsked = events.asked
    this.#clientRequests = new ClientRequests({
      requests,
      asked,
      declared,
      instances,
      owner: () => this.#owner,
      onAsked,
    })
    this.#requests.onDrained = () => {
      if (this.#isLost) void this.close()
    }
    this.#receiveMessages()
    this.#changes = isModern ? this.#listen() : undefined
  }

  /** What the server declared. */
  get capabilities(): Readonly<Record<string, unknown>> {
    return this.#parts.client.getServerCapabilities() ?? {}
  }

  /** As the server calls itself. */
  get serverInfo(): Readonly<Record<string, unknown>> {
    return { ...this.#parts.client.getServerVersion() }
  }

  get instructions(): string | undefined {
    return this.#parts.client.getInstructions()
  }

  get pid(): number | undefined {
    return this.#parts.transport.pid ?? undefined
  }

  /** Whether it has a session of the older eras, which the server may forget. */
  get hasSession(): boolean {
    return this.#parts.transport.sessionId !== undefined
  }

  /** Requests that the server has answered, with a result or an error of its own. */
  get answered(): number {
    return this.#requests.answered + this.#bridged
  }

  get isUsable(): boolean {
    return !this.#isLost && !this.#isClosing
  }

  /** Sends a request and returns the raw result. @throws GatewayError, ServerReplyError */
  request(request: ServerRequest, options: SendOptions): Promise<RawResult> {
    if (options.client !== undefined && this.#owner?.sessionId === options.client.sessionId)
      this.#owner = options.client
    const result = this.era === 'modern' ? this.#modern(request, options) : this.#legacy(request, options)
    return request.method.endsWith('/list') ? result.then((page) => withEntriesRead(page, options.mostEntries)) : result
  }

  /** Sends a notification of the client that owns the connection. It is lost if the server cannot be reached. */
  notify({ method, params }: ServerRequest): void {
    const { transport } = this.#parts
    transport.send({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) }).catch(() => {})
  }

  /** Takes the connection out of use; open requests may still be answered. @param reason to be read after the name */
  retire(reason: string): void {
    if (!this.isUsable) return
    this.#isLost = true
    this.#parts.events.lost(crashed(this.#parts.definition, reason))
    if (this.#requests.size === 0) void this.close()
  }

  /** Closes it; open requests fail. */
  close(failure?: GatewayError): Promise<void> {
    this.#isClosing = true
    this.#changes?.close()
    if (failure !== undefined) this.#requests.failAll(failure)
    this.#closing ??= this.#parts.client.close().catch(() => {})
    return this.#closing
  }

  #legacy(request: ServerRequest, options: SendOptions): Promise<RawResult> {
    // Servers of this era issue no state and ignore it: they would run a call again that has already begun.
    if (request.params?.['requestState'] !== undefined) return Promise.reject(notParked())
    return this.#requests.send(unenveloped(request), options)
  }

  async #modern(request: ServerRequest, options: SendOptions): Promise<RawResult> {
    if (BRIDGED.has(request.method)) {
      await this.#bridge(request, options)
      this.#bridged++
      return {}
    }
    const { client } = options
    const level = client && this.#logLevels.get(client.sessionId)
    const headers = this.#headers.of(request)
    const sent = enveloped(request, this.#parts.self, client, level)
    const result = unwrapped(await this.#requests.send(sent, headers ? { ...options, headers } : options))
    if (request.method !== 'tools/list') return result
    const page = await withEntriesRead(result, options.mostEntries)
    this.#headers.learn(page)
    return page
  }

  /** Translates a method that does not exist in the 2026-07-28 era. */
  async #bridge({ method, params }: ServerRequest, options: SendOptions): Promise<void> {
    const { uri, level } = (params ?? {}) as { uri: string; level: string }
    if (method === 'resources/subscribe') await this.#changes?.watch(uri)
    else if (method === 'resources/unsubscribe') await this.#changes?.unwatch(uri)
    else if (method === 'logging/setLevel' && options.client) this.#logLevels.set(options.client.sessionId, level)
  }

  #listen(): ChangeStream {
    const { client, events } = this.#parts
    const reported = (['tools', 'prompts', 'resources'] as const).filter((list) => {
      const declared = this.capabilities[list]
      return isRecord(declared) && declared['listChanged'] === true
    })
    const changes = new ChangeStream(client, reported, () => reported.forEach(events.listChanged))
    void changes.open()
    return changes
  }

  #receiveMessages(): void {
    const { client, transport } = this.#parts
    const toSdk = transport.onmessage
    transport.onmessage = (message, extra) => {
      if ('method' in message && !this.#admits(message)) return
      if (this.#requests.receive(message) || this.#notified(message)) return
      toSdk?.(message, extra)
    }
    client.onclose = () => this.#closed()
    client.onerror = () => {}
    transport.onlost = (reason) => this.retire(reason)
  }

  /** Whether a request or notification of the server is within its limits. Repeated changes of lists cost nothing. */
  #admits(message: { readonly method: string; readonly id?: RequestId; readonly params?: unknown }): boolean {
    const { traffic, transport } = this.#parts
    if (message.id === undefined) return message.method.endsWith('/list_changed') || traffic.mayNotify(message.params)
    const reason = traffic.refusal(message.params)
    if (reason === undefined) return true
    const error = { code: ProtocolErrorCode.InvalidRequest, message: reason }
    transport.send({ jsonrpc: '2.0', id: message.id, error }).catch(() => {})
    return false
  }

  /** @returns whether the notification was handled */
  #notified(message: JSONRPCMessage): boolean {
    if (!('method' in message) || 'id' in message) return false
    const { events } = this.#parts
    const params = (message.params ?? {}) as Record<string, unknown>
    switch (message.method) {
      case 'notifications/tools/list_changed':
        events.listChanged('tools')
        return true
      case 'notifications/prompts/list_changed':
        events.listChanged('prompts')
        return true
      case 'notifications/resources/list_changed':
        events.listChanged('resources')
        return true
      case 'notifications/resources/updated':
        if (typeof params['uri'] === 'string') events.resourceUpdated(params['uri'])
        return true
      case 'notifications/message':
        if (!this.#passedOn(message.method, params)) events.logged(params)
        return true
      case 'notifications/cancelled':
      case 'notifications/subscriptions/acknowledged':
        return false
      default:
        this.#passedOn(message.method, params)
        return true
    }
  }

  /** Passes a notification to the request that it must belong to: the only open one, or the latest if the connection has an owner. */
  #passedOn(method: string, params: Readonly<Record<string, unknown>>): boolean {
    const options = this.#owner
      ? this.#requests.latest((open) => open.onNotification !== undefined)
      : this.#requests.only()
    if (options?.onNotification === undefined) return false
    options.onNotification({ method, params })
    return true
  }

  /** Answers a request of the server to its client. @throws ProtocolError */
  answer(request: ServerRequest, signal: AbortSignal): Promise<Record<string, unknown>> {
    const answered = this.#parts.traffic.answering(() => this.#clientRequests.answer(request, signal))
    if (answered !== undefined) return answered
    return Promise.reject(new ProtocolError(ProtocolErrorCode.InvalidRequest, 'Too many requests are open'))
  }

  #closed(): void {
    this.#changes?.close()
    const { exit, closeReason } = this.#parts.transport
    const failure = crashed(this.#parts.definition, exit ? exitReason(exit) : (closeReason ?? 'closed the connection'))
    this.#requests.failAll(failure)
    if (!this.isUsable) return
    this.#isLost = true
    this.#parts.events.lost(failure)
  }
}

/** The version and name that a 2026-07-28 connection sends for requests without a client. */
interface Self {
  readonly protocolVersion: string
  readonly info: { readonly name: string; readonly version: string }
}

/** The `_meta` that every message of the 2026-07-28 era carries: version, and the capabilities of the client behind it. */
function envelopeFor(self: Self, client?: ClientLink): Record<string, unknown> {
  return {
    [PROTOCOL_VERSION_META_KEY]: self.protocolVersion,
    [CLIENT_INFO_META_KEY]: client?.info ?? self.info,
    [CLIENT_CAPABILITIES_META_KEY]: client?.capabilities ?? {},
  }
}

/** The request with its envelope. Values that a client wrote under the envelope's keys are replaced. */
function enveloped(request: ServerRequest, self: Self, client?: ClientLink, logLevel?: string): ServerRequest {
  const params = request.params ?? {}
  const meta = isRecord(params['_meta']) ? params['_meta'] : {}
  const level = meta[LOG_LEVEL_META_KEY] ?? logLevel
  const leveled = level === undefined ? {} : { [LOG_LEVEL_META_KEY]: level }
  const _meta = { ...withoutEnvelope(meta), ...leveled, ...envelopeFor(self, client) }
  return { method: request.method, params: { ...params, _meta } }
}

/** The request without the newer era's keys, for a server of the older eras. */
function unenveloped(request: ServerRequest): ServerRequest {
  const meta = request.params?.['_meta']
  if (!isRecord(meta)) return request
  return { method: request.method, params: { ...request.params, _meta: withoutEnvelope(meta) } }
}

/** The result without the era's bookkeeping: `resultType: complete`, and the server's name, which clients would take for ours. */
function unwrapped(result: RawResult): RawResult {
  const { resultType, ...rest } = result
  const plain: Record<string, unknown> = resultType === undefined || resultType === 'complete' ? rest : { ...result }
  if (!isRecord(plain['_meta']) || !(SERVER_INFO_META_KEY in plain['_meta'])) return plain
  const { [SERVER_INFO_META_KEY]: _, ...meta } = plain['_meta']
  const { _meta, ...others } = plain
  return Object.keys(meta).length > 0 ? { ...others, _meta: meta } : others
}

function withoutEnvelope(meta: Record<string, unknown>): Record<string, unknown> {
  const {
    [PROTOCOL_VERSION_META_KEY]: _version,
    [CLIENT_INFO_META_KEY]: _info,
    [CLIENT_CAPABILITIES_META_KEY]: _capabilities,
    [LOG_LEVEL_META_KEY]: _level,
    ...rest
  } = meta
  return rest
}
