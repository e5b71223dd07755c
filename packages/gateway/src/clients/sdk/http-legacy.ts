import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { GatewayError } from '../../errors.ts'
import type { Answering } from '../mcp/answer.ts'
import type { ConnectedClients } from '../mcp/connected-clients.ts'
import { type Exchange, header, refuse } from '../http/exchange.ts'
import { hearChanges } from '../mcp/hear-changes.ts'
import { type Answer, isObject, type JsonObject } from '../mcp/json-rpc.ts'
import type { LegacySession, LegacySessions } from '../mcp/legacy-sessions.ts'
import { KEEP_ALIVE_MS } from '../mcp/reply.ts'
import type { RpcMessage } from '../mcp/requests/request-handler.ts'
import { sdkServer } from './sdk-server.ts'
import { webRequest, writeResponse } from './web-bridge.ts'

/** Streamable HTTP of the revisions with sessions: each session has an SDK transport and an SDK server of its own. */
export class LegacyHttp {
  readonly #answering: Answering
  readonly #sessions: LegacySessions
  readonly #clients: ConnectedClients
  readonly #transports = new WeakMap<LegacySession, Promise<WebStandardStreamableHTTPServerTransport>>()

  constructor(answering: Answering, sessions: LegacySessions, clients: ConnectedClients) {
    this.#answering = answering
    this.#sessions = sessions
    this.#clients = clients
  }

  /** A message of a session, or the one that begins it. */
  async post(exchange: Exchange): Promise<void> {
    const { req, body } = exchange
    if (header(req, 'mcp-session-id') === undefined && isInitialize(body)) return this.#begin(exchange, body)
    const session = this.#session(exchange)
    const rest = forSdk(session, body)
    if (rest === undefined) {
      exchange.res.writeHead(202).end()
      return
    }
    await this.#pass(exchange, session, rest)
  }

  /** The stream on which a session hears of changes. */
  async listen(exchange: Exchange): Promise<void> {
    await this.#pass(exchange, this.#session(exchange), undefined)
  }

  /** The client ends its session. */
  end(exchange: Exchange): void {
    this.#session(exchange).end()
    exchange.res.writeHead(200).end()
  }

  async #begin(exchange: Exchange, body: JsonObject): Promise<void> {
    const session = this.#sessions.begin('http', exchange.principal, exchange.endpoint)
    session.introduce(body['params'])
    const connecting = this.#connect(session)
    this.#transports.set(session, connecting)
    const transport = await connecting
    exchange.res.once('close', () => {
      // An `initialize` that was refused (a wrong Accept header, odd parameters) leaves no session behind.
      if (transport.sessionId === undefined) session.end()
    })
    session.atEnd(() => this.#answering.handler.sessionClosed(session.sessionId))
    await this.#pass(exchange, session, body)
  }

  async #connect(session: LegacySession): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => session.sessionId,
      keepAliveMs: KEEP_ALIVE_MS,
    })
    const server = sdkServer(this.#answering, session, trackWatched(session))
    session.atEnd(() => void transport.close())
    await server.connect(transport)
    hearChanges(this.#clients, session, server)
    return transport
  }

  /** A session that began without the SDK: it is told now what it missed. */
  async #introduced(
    session: LegacySession,
    introduction: JsonObject,
  ): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = await this.#connect(session)
    const { sessionId, protocolVersion } = session
    const begun = await transport.handleRequest(replayed({}), { parsedBody: introduction })
    await begun.text()
    const headers = { 'mcp-session-id': sessionId, 'mcp-protocol-version': protocolVersion }
    await transport.handleRequest(replayed(headers), { parsedBody: INITIALIZED })
    return transport
  }

  #transportOf(session: LegacySession): Promise<WebStandardStreamableHTTPServerTransport> | undefined {
    const known = this.#transports.get(session)
    if (known !== undefined || session.introduction === undefined) return known
    const introduced = this.#introduced(session, session.introduction)
    session.introduction = undefined
    this.#transports.set(session, introduced)
    return introduced
  }

  /** @throws GatewayError REQUEST_INVALID without an id, SESSION_NOT_FOUND with one that is not of this token. */
  #session({ req, principal, endpoint }: Exchange): LegacySession {
    const id = header(req, 'mcp-session-id')
    if (id === undefined) {
      throw new GatewayError('REQUEST_INVALID', {
        reason: 'the header Mcp-Session-Id is missing',
        remedy: 'Send initialize first, and the session id from its answer with every request after it',
      })
    }
    const session = this.#sessions.find(id, 'http', principal, endpoint)
    if (session === undefined)
      throw new GatewayError('SESSION_NOT_FOUND', { remedy: 'Send initialize to begin a new one' })
    return session
  }

  async #pass({ req, res }: Exchange, session: LegacySession, body: unknown): Promise<void> {
    const transport = await this.#transportOf(session)
    if (transport === undefined) return refuse(res, new GatewayError('SESSION_NOT_FOUND'), { body })
    session.open += 1
    res.once('close', () => {
      session.open -= 1
    })
    await writeResponse(res, await transport.handleRequest(webRequest(req, res), { parsedBody: body }))
  }
}

const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' }

function replayed(headers: Readonly<Record<string, string>>): Request {
  const usual = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return new Request('http://gateway/mcp', { method: 'POST', headers: { ...usual, ...headers } })
}

/** Remembers which resources a session subscribed to, from the answers that it got. */
export function trackWatched(session: LegacySession): (asked: RpcMessage, told: Answer) => void {
  return ({ method, params }, told) => {
    const uri = params?.['uri']
    if ('error' in told || typeof uri !== 'string') return
    if (method === 'resources/subscribe') session.watched.add(uri)
    else if (method === 'resources/unsubscribe') session.watched.delete(uri)
  }
}

function isInitialize(body: unknown): body is JsonObject {
  return isObject(body) && body['method'] === 'initialize'
}

/** What is left for the SDK after the messages that belong to calls answered without it; undefined = nothing. */
function forSdk(session: LegacySession, body: unknown): unknown {
  if (!Array.isArray(body)) return isTaken(session, body) ? undefined : body
  const rest = body.filter((message) => !isTaken(session, message))
  return rest.length === 0 && body.length > 0 ? undefined : rest
}

function isTaken(session: LegacySession, message: unknown): boolean {
  if (!isObject(message) || message['jsonrpc'] !== '2.0') return false
  if (message['method'] === undefined) return session.answered(message)
  if (message['method'] !== 'notifications/cancelled' || !isObject(message['params'])) return false
  return session.cancel(message['params']['requestId'])
}
