// Streamable HTTP of every revision: 2026-07-28, in which nothing outlives its request, and the earlier ones, in which
// `initialize` begins a session.

import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { jsonSize, LARGE_RESULT } from '../../servers/protocol/json-size.ts'
import { GatewayError } from '../../errors.ts'
import { answer, type Answering, statusOf } from './answer.ts'
import {
  accessEnded,
  callerOf,
  callerOutsideRequest,
  type ClientIdentity,
  isAccessEnded,
  mayNotify,
  type RequestChannel,
} from './caller.ts'
import type { ConnectedClients } from './connected-clients.ts'
import { header, type HttpExchange, isOnThisMachine, parameterHeaders, sendFailure, sendJson } from './http-exchange.ts'
import { headerFailure, type Inbound, isInitializeRequest, readInbound, versionFailure } from './inbound-message.ts'
import { type Answer, META_KEY, replyMessage, RPC_CODE, type RpcFailure, type RpcRequest } from './json-rpc.ts'
import type { RpcMessage } from './requests/request-handler.ts'
import { LATEST_LEGACY_VERSION, LEGACY_VERSIONS } from './protocol-versions.ts'
import { Reply } from './reply.ts'
import { gatewayFailure } from './rpc-errors.ts'
import { introduction, type Session } from './session.ts'
import type { SessionPlaces, Sessions } from './sessions.ts'

/** The collaborators of Streamable HTTP. */
export interface StreamableHttpParts {
  readonly answering: Answering
  readonly sessions: Sessions
  readonly homes: SessionPlaces
  readonly clients: ConnectedClients
  /** Answers `subscriptions/listen`. */
  readonly listen: (exchange: HttpExchange) => Promise<void>
}

/** Answers POST, GET and DELETE of an MCP endpoint. */
export class StreamableHttp {
  readonly #parts: StreamableHttpParts
  /** Requests of 2026-07-28 that are being answered. */
  readonly #open = new Map<AbortController, ClientIdentity>()

  constructor(parts: StreamableHttpParts) {
    this.#parts = parts
  }

  /** A message, or a batch of them. @throws GatewayError REQUEST_INVALID, SESSION_NOT_FOUND, TOO_MANY_SESSIONS */
  post(exchange: HttpExchange): void | Promise<void> {
    const reading = readInbound(exchange)
    return reading instanceof Promise
      ? reading.then((inbound) => this.#posted(exchange, inbound))
      : this.#posted(exchange, reading)
  }

  #posted(exchange: HttpExchange, inbound: Inbound): void | Promise<void> {
    const { req, res, body } = exchange
    // A client that disconnected meanwhile is not noticed any more.
    if (res.destroyed) return
    if (inbound.kind === 'legacy') return this.#postLegacy(exchange, inbound)
    const failure = inbound.kind === 'refused' ? inbound.error : versionFailure(inbound.version)
    if (failure !== undefined) return sendFailure(res, 400, failure, body)
    if (inbound.kind !== 'modern-request') return void res.writeHead(202).end()
    const mismatch = headerFailure(req, inbound.request)
    if (mismatch !== undefined) return sendFailure(res, 400, mismatch, body)
    const { request } = inbound
    if (request.method === 'subscriptions/listen') return this.#listen(exchange)
    const passing = this.#parts.homes.passToNamed(exchange, request)
    if (passing === undefined) return this.#answerModern(exchange, request)
    return passing.then((isAnswered) => (isAnswered ? undefined : this.#answerModern(exchange, request)))
  }

  /** Opens the stream on which a session is notified of changes. @throws GatewayError as `post` */
  stream(exchange: HttpExchange): void | Promise<void> {
    return this.#inSession(exchange, (session) => this.#openStream(exchange, session))
  }

  async #openStream(exchange: HttpExchange, session: Session): Promise<void> {
    const { homes } = this.#parts
    const { req, res } = exchange
    if (req.method !== 'GET') return void res.writeHead(405, { allow: 'GET, POST, DELETE' }).end()
    if (req.headers.accept?.includes('text/event-stream') !== true) {
      return sendFailure(res, 406, transportFailure('Not Acceptable: Client must accept text/event-stream'))
    }
    const failure = legacyVersionFailure(exchange)
    if (failure !== undefined) return sendFailure(res, 400, failure)
    if (homes.isLeaving) {
      if (exchange.hop !== undefined) return homes.letGo(session, exchange)
      if (await homes.passOn(exchange)) return
    }
    if (!res.destroyed) session.openStream(res)
  }

  /** Ends a session, with all replicas. @throws GatewayError as `post` */
  end(exchange: HttpExchange): void | Promise<void> {
    return this.#inSession(exchange, async (session) => {
      await this.#parts.homes.end(session)
      exchange.res.writeHead(200).end()
    })
  }

  /** Cuts the requests of 2026-07-28 whose token is no longer valid. Those of the earlier revisions end with their session. */
  sweep(): void {
    for (const [controller, client] of this.#open) {
      if (this.#parts.answering.rightsNow(client) === undefined) controller.abort(accessEnded())
    }
  }

  async #listen(exchange: HttpExchange): Promise<void> {
    const { homes, listen } = this.#parts
    if (homes.isLeaving && (await homes.passOn(exchange))) return
    await listen(exchange)
  }

  #answerModern(exchange: HttpExchange, request: RpcRequest): Promise<void> {
    const { req, principal, endpoint } = exchange
    const meta = request.params?.['_meta'] as JsonObject
    const clientInfo = meta[META_KEY.clientInfo]
    const client: ClientIdentity = {
      principal,
      endpoint,
      era: 'modern',
      protocolVersion: meta[META_KEY.protocolVersion] as string,
      clientCapabilities: meta[META_KEY.clientCapabilities] as JsonObject,
      parameterHeaders: parameterHeaders(req),
      ...(isRecord(clientInfo) ? { clientInfo } : {}),
    }
    const reply = new Reply(exchange.res)
    return this.#answerAlone(exchange, client, request, reply, (signal) =>
      this.#answer(client, request, reply, { signal }),
    )
  }

  /** A plain `tools/call` of an earlier revision without a session, as scripts send it. Its answer is one JSON message. */
  #answerPlainCall(exchange: HttpExchange, request: RpcRequest): Promise<void> {
    const { principal, endpoint } = exchange
    const era = { era: 'legacy', protocolVersion: LATEST_LEGACY_VERSION } as const
    const client: ClientIdentity = { principal, endpoint, ...era, clientCapabilities: {} }
    return this.#answerAlone(exchange, client, request, new Reply(exchange.res), (signal) =>
      answer(this.#parts.answering, request, callerOf(client, { signal, notify: () => undefined })),
    )
  }

  /** Answers a request that nothing outlives. */
  async #answerAlone(
    { res }: HttpExchange,
    client: ClientIdentity,
    request: RpcRequest,
    reply: Reply,
    answering: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<void> {
    const controller = new AbortController()
    // Such a client cancels by closing the response.
    res.once('close', () => {
      if (!res.writableFinished) controller.abort(new GatewayError('CALL_CANCELLED'))
    })
    const { signal } = controller
    this.#open.set(controller, client)
    const answered = await answering(signal)
    this.#open.delete(controller)
    const told = isAccessEnded(signal) ? { error: gatewayFailure(signal.reason) } : answered
    await send(reply, statusOf(client.era, told), request, told)
  }

  #postLegacy(exchange: HttpExchange, inbound: Inbound & { kind: 'legacy' }): void | Promise<void> {
    const { messages, isBatch } = inbound
    const initialize = isBatch ? undefined : messages.find(isInitialize)
    const hasSession = header(exchange.req, 'mcp-session-id') !== undefined
    if (initialize !== undefined && !hasSession) return this.#begin(exchange, initialize)
    const [only] = messages
    if (!hasSession && !isBatch && only !== undefined && isRequest(only) && only.method === 'tools/call') {
      return this.#answerPlainCall(exchange, only)
    }
    return this.#inSession(exchange, (session) => this.#postInSession(session, exchange, inbound))
  }

  #postInSession(
    session: Session,
    exchange: HttpExchange,
    inbound: Inbound & { kind: 'legacy' },
  ): void | Promise<void> {
    const { homes } = this.#parts
    const { res } = exchange
    const { messages, isBatch } = inbound
    const refusal = legacyRefusal(exchange, inbound)
    if (refusal !== undefined) return sendFailure(res, ...refusal)
    if (exchange.hop !== undefined && homes.isLeaving && messages.some(isRequest)) return homes.letGo(session, exchange)
    const [first] = messages
    if (session.previousHomeId !== undefined && first !== undefined && !isRequest(first) && !session.concerns(first)) {
      return homes.passBack(session, exchange).then((isAnswered) => void (isAnswered || res.writeHead(202).end()))
    }
    const reply = new Reply(res, session.sessionId)
    const answers: Promise<void>[] = []
    for (const message of messages) {
      if (!isRequest(message)) this.#receive(session, message)
      else if (isBatch) answers.push(this.#answerInBatch(session, message, reply))
      else return this.#answerLegacy(session, message, reply)
    }
    if (answers.length === 0) return void res.writeHead(202).end()
    reply.openStream()
    return Promise.all(answers).then(() => reply.endEmpty())
  }

  async #begin(exchange: HttpExchange, message: JsonObject & RpcRequest): Promise<void> {
    const { req, res, principal, endpoint } = exchange
    if (!acceptsBoth(req.headers.accept)) return sendFailure(res, 406, NOT_ACCEPTABLE)
    if (!(await isInitializeRequest(message))) {
      return sendFailure(res, 400, transportFailure('Bad Request: Server not initialized'))
    }
    const { answering, homes } = this.#parts
    if (homes.isLeaving && (await homes.passOn(exchange))) return
    const facts = { ...introduction(message.params), isLocal: isOnThisMachine(exchange) }
    const session = homes.begin('http', principal, endpoint, facts)
    this.#connect(session)
    const { capabilities, serverInfo, instructions } = answering.handler.describe(callerOutsideRequest(session))
    const { protocolVersion, sessionId } = session
    const result = { protocolVersion, capabilities, serverInfo, ...(instructions !== undefined && { instructions }) }
    sendJson(res, 200, replyMessage(message.id, { result }), { 'mcp-session-id': sessionId })
  }

  /** Notifies the client of changes from now on. */
  #connect(session: Session): void {
    const { answering, clients } = this.#parts
    session.atEnd(() => answering.handler.sessionClosed(session.sessionId))
    session.subscribeToChanges(clients, answering, (notification) => {
      session.sendOnStream({ jsonrpc: '2.0', ...notification })
    })
  }

  async #answerLegacy(session: Session, request: RpcRequest, reply: Reply): Promise<void> {
    const told = await this.#answerInSession(session, request, reply)
    if (told === undefined) reply.endEmpty()
    else await send(reply, 200, request, told)
  }

  async #answerInBatch(session: Session, request: RpcRequest, reply: Reply): Promise<void> {
    const told = await this.#answerInSession(session, request, reply)
    if (told !== undefined) reply.send(replyMessage(request.id, told))
  }

  /** Resolves to undefined if the client cancelled the request. */
  async #answerInSession(session: Session, request: RpcRequest, reply: Reply): Promise<Answer | undefined> {
    const call = session.beginCall(request.id)
    const told = await this.#answer(session, request, reply, {
      signal: call.signal,
      ask: (question, signal) =>
        // A server asks for folders after its start, when the request may be over.
        question.method === 'roots/list'
          ? session.ask(question, (message) => reply.send(message) || session.askOnStream(message), signal)
          : session.ask(
              question,
              (message) => reply.send(message) || session.sendOnStream(message),
              AbortSignal.any([signal, reply.gone]),
            ),
    })
    session.endCall(call)
    session.track(request, told)
    if (CHANGING.has(request.method)) this.#parts.homes.keep(session)
    if (isAccessEnded(call.signal)) return { error: gatewayFailure(call.signal.reason) }
    return call.signal.aborted ? undefined : told
  }

  #answer(client: ClientIdentity, request: RpcRequest, reply: Reply, channel: Omit<RequestChannel, 'notify'>) {
    const notify = (notification: RpcMessage) => {
      if (mayNotify(client.era, notification, request)) reply.notify({ jsonrpc: '2.0', ...notification })
    }
    const { method, params } = request
    return answer(
      this.#parts.answering,
      { method, ...(params === undefined ? {} : { params }) },
      callerOf(client, { ...channel, notify }),
    )
  }

  /** A notification, or the response to a question of ours. */
  #receive(session: Session, message: JsonObject): void {
    const { method, params } = message as { method?: string; params?: JsonObject }
    if (method === undefined) session.receiveResponse(message)
    else if (method === 'notifications/cancelled') session.cancelCalls(params?.['requestId'])
    else if (!HANDLED_HERE.has(method)) {
      const notification = params === undefined ? { method } : { method, params }
      this.#parts.answering.handler.notified(notification, callerOutsideRequest(session))
    }
  }

  /** Answers within the session that a request names. One that is known here costs nothing more. */
  #inSession(exchange: HttpExchange, answering: (session: Session) => void | Promise<void>): void | Promise<void> {
    const { req, principal, endpoint } = exchange
    const id = header(req, 'mcp-session-id')
    if (id === undefined) {
      throw new GatewayError('REQUEST_INVALID', {
        reason: 'the header Mcp-Session-Id is missing',
        remedy: 'Send initialize first, and the session id from its answer with every request after it',
      })
    }
    const { sessions, homes } = this.#parts
    const session = sessions.find(id, 'http', principal, endpoint)
    if (session !== undefined) return answering(session)
    return homes
      .locate(exchange, id, 'http', (adopted) => this.#connect(adopted))
      .then((located) => (located === undefined || exchange.res.destroyed ? undefined : answering(located)))
  }
}

/** Requests after which a session may have changed in a way that its next home must know. */
const CHANGING: ReadonlySet<string> = new Set([
  ...['tools/call', 'resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'],
])
/** Notifications that concern the session alone. */
const HANDLED_HERE: ReadonlySet<string> = new Set(['notifications/initialized', 'notifications/progress'])
const MAX_BATCH_MESSAGES = 100

const transportFailure = (message: string): RpcFailure => ({ code: RPC_CODE.transport, message })
const NOT_ACCEPTABLE = transportFailure(
  'Not Acceptable: Client must accept both application/json and text/event-stream',
)

function acceptsBoth(accept: string | undefined): boolean {
  return accept !== undefined && accept.includes('application/json') && accept.includes('text/event-stream')
}

function isRequest(message: JsonObject): message is JsonObject & RpcRequest {
  return 'id' in message && 'method' in message
}

function isInitialize(message: JsonObject): message is JsonObject & RpcRequest {
  return message['method'] === 'initialize' && isRequest(message)
}

/** Status and error for messages that a session does not take. */
function legacyRefusal(
  exchange: HttpExchange,
  { messages }: { readonly messages: readonly JsonObject[] },
): [status: number, error: RpcFailure] | undefined {
  if (!acceptsBoth(exchange.req.headers.accept)) return [406, NOT_ACCEPTABLE]
  const invalid = (what: string): [number, RpcFailure] => [
    400,
    { code: RPC_CODE.invalidRequest, message: `Invalid Request: ${what}` },
  ]
  if (messages.length > MAX_BATCH_MESSAGES) return invalid(`Batch must not exceed ${MAX_BATCH_MESSAGES} messages`)
  if (messages.some(isInitialize)) return invalid('Server already initialized')
  const failure = legacyVersionFailure(exchange)
  return failure === undefined ? undefined : [400, failure]
}

function legacyVersionFailure({ req }: HttpExchange): RpcFailure | undefined {
  const version = header(req, 'mcp-protocol-version')
  if (version === undefined || LEGACY_VERSIONS.includes(version)) return undefined
  const supported = `(supported versions: ${LEGACY_VERSIONS.join(', ')})`
  return transportFailure(`Bad Request: Unsupported protocol version: ${version} ${supported}`)
}

/** Writes a large result in pieces. */
function send(reply: Reply, status: number, { id, method }: RpcRequest, told: Answer): void | Promise<void> {
  const message = replyMessage(id, told)
  const isLarge = method === 'tools/list' ? isLargeList(told) : jsonSize(told, LARGE_RESULT) > LARGE_RESULT
  return isLarge ? reply.endInPieces(status, message) : reply.end(status, message)
}

/** Pieces take twice the time, which only the largest lists are worth. In characters. */
const LARGE_LIST = 1_000_000
/** Whether lists of tools are large; the same list is sent again and again. */
const measuredLists = new WeakMap<object, boolean>()

function isLargeList(told: Answer): boolean {
  const tools = 'result' in told ? told.result['tools'] : undefined
  if (!Array.isArray(tools)) return false
  const isLarge = measuredLists.get(tools) ?? jsonSize(tools, LARGE_LIST) > LARGE_LIST
  measuredLists.set(tools, isLarge)
  return isLarge
}
