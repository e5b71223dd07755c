import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { GatewayError } from '../../errors.ts'
import { removeFrom } from '../../remove-from.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import type { Answering } from './answer.ts'
import type { ClientIdentity } from './caller.ts'
import { type ClientEvent, type ConnectedClients, EVENT_METHOD } from './connected-clients.ts'
import type { Answer, RequestId } from './json-rpc.ts'
import { type RpcMessage, RpcError } from './requests/request-handler.ts'
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS } from './protocol-versions.ts'
import { EVENT_STREAM_HEADERS, eventText, keepAlive, MAX_UNREAD_BYTES, RECONNECT_SOON } from './reply.ts'

/** How the messages of a session travel: Streamable HTTP, HTTP+SSE, or standard streams. */
export type SessionTransport = 'http' | 'sse' | 'stdio'

/** What `initialize` says of a client, and whether it runs on this machine. */
export interface ClientFacts {
  readonly protocolVersion: string
  readonly clientInfo: JsonObject
  readonly clientCapabilities: JsonObject
  readonly isLocal: boolean
}

/** A request of a session that is being answered. */
export interface OpenCall {
  readonly id: RequestId
  readonly controller: AbortController
  readonly signal: AbortSignal
}

/** A client that sent `initialize` (revisions up to 2025-11-25). Its id proves nothing: each request shows its token. */
export class Session implements ClientIdentity {
  readonly era = 'legacy'
  readonly sessionId: string
  readonly transport: SessionTransport
  /** As of the latest request: the configuration may have changed since `initialize`. */
  principal: Principal
  endpoint: Endpoint
  protocolVersion: string = LATEST_LEGACY_VERSION
  clientInfo: JsonObject = {}
  clientCapabilities: JsonObject = {}
  /** The level of its last `logging/setLevel`. */
  logLevel: string | undefined
  lastUsed: number
  /** The replica that had the session before this one. It may still be answering requests. */
  previousHomeId: string | undefined
  /** Whether the client runs on this machine. */
  isLocal = false
  /** Requests and streams that are open now. A session with one of them is in use. */
  open = 0
  /** URIs of the resources that it subscribed to. */
  readonly subscribed = new Set<string>()
  readonly #calls: OpenCall[] = []
  readonly #questions = new Map<string, (message: JsonObject | Error) => void>()
  readonly #atEnd: ((reason: GatewayError) => void)[] = []
  #stream: ServerResponse | undefined
  /** Notifications of changed lists by method, and questions by id, for the next stream. */
  readonly #missed = new Map<string, JsonObject>()
  #questionCount = 0
  #ended: GatewayError | undefined

  constructor(
    transport: SessionTransport,
    principal: Principal,
    endpoint: Endpoint,
    now: number,
    id: string = randomBytes(16).toString('base64url'),
  ) {
    this.sessionId = id
    this.transport = transport
    this.principal = principal
    this.endpoint = endpoint
    this.lastUsed = now
  }

  /** Takes over the parameters of `initialize`. */
  introduce(params: unknown): void {
    Object.assign(this, introduction(params))
  }

  /** Runs when the session ends, with the reason; at once if it has ended already. */
  atEnd(run: (reason: GatewayError) => void): void {
    if (this.#ended !== undefined) run(this.#ended)
    else this.#atEnd.push(run)
  }

  /** Notifies the client of changes at its endpoint until the session ends. */
  subscribeToChanges(
    clients: ConnectedClients,
    { rightsNow }: Pick<Answering, 'rightsNow'>,
    notify: (notification: RpcMessage) => void,
  ): void {
    const unsubscribe = clients.add({
      id: this.sessionId,
      rights: () => rightsNow(this),
      session: () => ({ sessionId: this.sessionId, clientInfo: this.clientInfo }),
      watches: (uri) => this.subscribed.has(uri),
      deliver: (event) => notify(changeNotification(event)),
    })
    this.atEnd(unsubscribe)
  }

  /** Keeps track of subscriptions and log levels, from requests that succeeded. */
  track({ method, params }: RpcMessage, told: Answer): void {
    if ('error' in told) return
    const { uri, level } = params ?? {}
    if (method === 'logging/setLevel' && typeof level === 'string') this.logLevel = level
    if (typeof uri !== 'string') return
    if (method === 'resources/subscribe') this.subscribed.add(uri)
    else if (method === 'resources/unsubscribe') this.subscribed.delete(uri)
  }

  /** Opens the stream for notifications outside of requests. It replaces an earlier one. */
  openStream(res: ServerResponse): void {
    this.#stream?.end()
    this.#stream = res
    this.open += 1
    res.once('close', () => {
      this.open -= 1
      if (this.#stream === res) this.#stream = undefined
    })
    res.writeHead(200, { ...EVENT_STREAM_HEADERS, 'mcp-session-id': this.sessionId })
    // Clients wait for the headers of a stream, also if there is no event yet.
    res.flushHeaders()
    for (const message of this.#missed.values()) res.write(eventText(message))
    this.#missed.clear()
    keepAlive(res)
  }

  /** Ends that stream; the client opens another one soon, with another replica if there is one. */
  releaseStream(): void {
    this.#stream?.end(RECONNECT_SOON)
  }

  /**
   * Sends a message on that stream. Without a stream, changed lists wait for one.
   * @returns false if it was not sent: there is no stream, or the client does not read
   */
  sendOnStream(message: JsonObject): boolean {
    const method = String(message['method'])
    if (this.#stream === undefined && method.endsWith('/list_changed')) this.#missed.set(method, message)
    if (this.#stream === undefined || this.#stream.writableLength >= MAX_UNREAD_BYTES) return false
    this.#stream.write(eventText(message))
    return true
  }

  /** Sends a question of a server outside of requests. Without a stream, it waits for one. @returns false if it is lost */
  askOnStream(question: JsonObject): boolean {
    if (this.sendOnStream(question)) return true
    if (this.#stream !== undefined) return false
    this.#missed.set(String(question['id']), question)
    return true
  }

  /** Notes a request, for `cancelCalls` and the end of the session to abort it. */
  beginCall(id: RequestId): OpenCall {
    const controller = new AbortController()
    const call = { id, controller, signal: controller.signal }
    this.#calls.push(call)
    this.open += 1
    return call
  }

  endCall(call: OpenCall): void {
    if (removeFrom(this.#calls, call)) this.open -= 1
  }

  /** Aborts the calls with the client's id. */
  cancelCalls(id: unknown): void {
    for (const call of [...this.#calls]) {
      if (call.id === id) call.controller.abort(new GatewayError('CALL_CANCELLED'))
    }
  }

  /** Asks the client. `send` returns whether the message could be sent. */
  ask(question: RpcMessage, send: (message: JsonObject) => boolean, signal: AbortSignal): Promise<JsonObject> {
    const id = `ask-${++this.#questionCount}`
    return new Promise<JsonObject>((resolve, reject) => {
      const gone = () => settle(new GatewayError('CALL_CANCELLED'))
      const withdraw = () => {
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
        gone()
      }
      const settle = (message: JsonObject | Error) => {
        this.#questions.delete(id)
        this.#missed.delete(id)
        signal.removeEventListener('abort', withdraw)
        if (message instanceof Error) reject(message)
        else if (isRecord(message['error'])) reject(refusal(message['error']))
        else resolve(isRecord(message['result']) ? message['result'] : {})
      }
      if (signal.aborted || this.#ended !== undefined) return gone()
      signal.addEventListener('abort', withdraw, { once: true })
      this.#questions.set(id, settle)
      if (!send({ jsonrpc: '2.0', id, ...question })) gone()
    })
  }

  /** Whether a response or a cancellation concerns a question or a call of this process. */
  concerns({ id, method, params }: JsonObject): boolean {
    if (method === undefined) return this.#questions.has(String(id))
    if (method !== 'notifications/cancelled') return true
    const cancelled = isRecord(params) ? params['requestId'] : undefined
    return this.#calls.some((call) => call.id === cancelled)
  }

  /** Takes the response to a question; one that answers no question is ignored. */
  receiveResponse(message: JsonObject): void {
    if (typeof message['id'] === 'string') this.#questions.get(message['id'])?.(message)
  }

  /** @param reason what the calls that are being answered fail with */
  end(reason: GatewayError = new GatewayError('CALL_CANCELLED')): void {
    if (this.#ended !== undefined) return
    this.#ended = reason
    for (const { controller } of [...this.#calls]) controller.abort(reason)
    for (const settle of [...this.#questions.values()]) settle(new GatewayError('SESSION_NOT_FOUND'))
    this.#stream?.end()
    for (const run of this.#atEnd.splice(0)) run(reason)
  }
}

/** What `initialize` says of a client, and the version that is decided by it. */
export function introduction(params: unknown): Omit<ClientFacts, 'isLocal'> {
  const { protocolVersion, clientInfo, capabilities } = isRecord(params) ? params : {}
  return {
    protocolVersion: LEGACY_VERSIONS.find((version) => version === protocolVersion) ?? LATEST_LEGACY_VERSION,
    clientInfo: isRecord(clientInfo) ? clientInfo : {},
    clientCapabilities: isRecord(capabilities) ? capabilities : {},
  }
}

/** An event as the notification that clients know. */
export function changeNotification(event: ClientEvent): { method: string; params?: Record<string, unknown> } {
  const method = EVENT_METHOD[event.kind]
  if (event.kind === 'logged') return { method, params: { ...event.params } }
  return event.kind === 'updated' ? { method, params: { uri: event.uri } } : { method }
}

function refusal(error: JsonObject): RpcError {
  return new RpcError(Number(error['code']), String(error['message']), error['data'])
}
