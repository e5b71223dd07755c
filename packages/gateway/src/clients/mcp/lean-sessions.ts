// How a session begins and ends, and the stream on which it hears of changes, without the SDK: most sessions ask for
// nothing but tools, and never need it. What is not plainly regular is left to the SDK, as on the lean path of requests.

import type { Answering } from './answer.ts'
import type { ConnectedClients } from './connected-clients.ts'
import { type Exchange, header, type ResponseSink, sendJson } from '../http/exchange.ts'
import { hearChanges } from './hear-changes.ts'
import { isObject, isRequestId, type JsonObject, type RequestId, replyMessage } from './json-rpc.ts'
import type { LegacySession, LegacySessions } from './legacy-sessions.ts'
import { callerOutsideRequest } from './peer.ts'
import { LEGACY_VERSIONS } from './protocol-versions.ts'
import { acceptsBoth, isRegularCapabilities, isRegularInfo } from './regular.ts'
import type { RpcMessage } from './requests/request-handler.ts'
import { EVENT_STREAM_HEADERS, eventText, keepAlive, MAX_UNREAD_BYTES } from './reply.ts'

const PARAMS = new Set(['protocolVersion', 'capabilities', 'clientInfo'])
const MESSAGE_KEYS = new Set(['jsonrpc', 'id', 'method', 'params'])

interface Introduction extends JsonObject {
  readonly id: RequestId
  readonly params: JsonObject
}

/** Sessions of regular clients. Every `try…` answers the exchange, or does nothing and says false. */
export class LeanSessions {
  readonly #answering: Answering
  readonly #sessions: LegacySessions
  readonly #clients: ConnectedClients

  constructor(answering: Answering, sessions: LegacySessions, clients: ConnectedClients) {
    this.#answering = answering
    this.#sessions = sessions
    this.#clients = clients
  }

  /** `initialize`, and what needs no answer: notifications, and replies to what we asked. @throws GatewayError TOO_MANY_SESSIONS */
  tryPost(exchange: Exchange): boolean {
    const introduction = regularIntroduction(exchange)
    if (introduction === undefined) return this.#tryTell(exchange)
    this.#begin(exchange, introduction)
    return true
  }

  /** Loading the SDK for the first of these would hold up everybody else's calls. */
  #tryTell(exchange: Exchange): boolean {
    const { body, res } = exchange
    if (!isRegularTelling(body)) return false
    const session = this.#found(exchange)
    // Once the SDK knows the session, some of this is for it.
    if (session?.introduction === undefined) return false
    tell(session, body, (notification) => this.#answering.handler.notified(notification, callerOutsideRequest(session)))
    res.writeHead(202).end()
    return true
  }

  /** The stream on which a session hears of changes. A newer one takes the place of an older. */
  tryListen(exchange: Exchange): boolean {
    const { req, res } = exchange
    const isRegular = req.method === 'GET' && req.headers.accept?.includes('text/event-stream') === true
    if (!isRegular || header(req, 'last-event-id') !== undefined) return false
    const session = this.#found(exchange)
    if (session === undefined) return false
    openStream(session, res)
    return true
  }

  /** The client ends its session. */
  tryEnd(exchange: Exchange): boolean {
    const session = this.#found(exchange)
    session?.end()
    if (session !== undefined) exchange.res.writeHead(200).end()
    return session !== undefined
  }

  #begin({ res, principal, endpoint }: Exchange, introduction: Introduction): void {
    const session = this.#sessions.begin('http', principal, endpoint)
    session.introduce(introduction.params)
    session.introduction = introduction
    session.atEnd(() => this.#answering.handler.sessionClosed(session.sessionId))
    hearChanges(this.#clients, session)
    const { capabilities, serverInfo, instructions } = this.#answering.handler.describe(callerOutsideRequest(session))
    const { protocolVersion, sessionId } = session
    const told = instructions === undefined ? {} : { instructions }
    const result = { protocolVersion, capabilities, serverInfo, ...told }
    sendJson(res, 200, replyMessage(introduction.id, { result }), { 'mcp-session-id': sessionId })
  }

  #found({ req, principal, endpoint }: Exchange): LegacySession | undefined {
    const id = header(req, 'mcp-session-id')
    const version = header(req, 'mcp-protocol-version')
    if (id === undefined || (version !== undefined && !LEGACY_VERSIONS.includes(version))) return undefined
    return this.#sessions.find(id, 'http', principal, endpoint)
  }
}

function openStream(session: LegacySession, res: ResponseSink): void {
  session.endStream?.()
  const say = (message: JsonObject): void => {
    // A client that does not read loses what it is told rather than our memory.
    if (res.writableLength < MAX_UNREAD_BYTES) res.write(eventText(message))
  }
  const end = (): void => void res.end()
  session.say = say
  session.endStream = end
  session.open += 1
  res.once('close', () => {
    session.open -= 1
    if (session.say !== say) return
    session.say = undefined
    session.endStream = undefined
  })
  res.writeHead(200, { ...EVENT_STREAM_HEADERS, 'mcp-session-id': session.sessionId })
  // Clients wait for the headers of a stream that has nothing to say yet.
  res.flushHeaders()
  keepAlive(res)
}

function regularIntroduction(exchange: Exchange): Introduction | undefined {
  const { body, req } = exchange
  if (!isObject(body) || body['method'] !== 'initialize' || body['jsonrpc'] !== '2.0') return undefined
  const { id, params } = body
  const isPlain = ['mcp-session-id', 'mcp-protocol-version', 'mcp-method'].every((name) => !(name in req.headers))
  if (!isPlain || !acceptsBoth(exchange) || !isRequestId(id) || !isObject(params)) return undefined
  if (!hasOnly(body, MESSAGE_KEYS) || !hasOnly(params, PARAMS)) return undefined
  if (typeof params['protocolVersion'] !== 'string' || params['clientInfo'] === undefined) return undefined
  if (!isRegularCapabilities(params['capabilities']) || !isRegularInfo(params['clientInfo'])) return undefined
  return { ...body, id, params }
}

/** A notification, or the reply to a question of ours. */
function isRegularTelling(body: unknown): body is JsonObject {
  if (!isObject(body) || body['jsonrpc'] !== '2.0') return false
  const { method, params } = body
  if (method === undefined) return isRequestId(body['id']) && (isObject(body['result']) || isObject(body['error']))
  return typeof method === 'string' && !('id' in body) && (params === undefined || isObject(params))
}

function tell(session: LegacySession, body: JsonObject, notified: (notification: RpcMessage) => void): void {
  const { method, params } = body as { method?: string; params?: JsonObject }
  if (method === undefined) session.answered(body)
  else if (method === 'notifications/cancelled') session.cancel(params?.['requestId'])
  else if (method !== 'notifications/initialized') notified(params === undefined ? { method } : { method, params })
}

function hasOnly(object: JsonObject, keys: ReadonlySet<string>): boolean {
  for (const key in object) if (!keys.has(key)) return false
  return true
}
