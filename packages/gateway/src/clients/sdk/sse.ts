// The transport of 2024-11-05, which some clients still use: a GET that stays open for all messages of the server, and a
// POST for each message of the client.

import type { ServerResponse } from 'node:http'
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { isRecord } from '@tooldex/http-kit/json'
import { aborted } from '../../aborted.ts'
import { GatewayError } from '../../errors.ts'
import type { Answering } from '../mcp/answer.ts'
import type { ConnectedClients } from '../mcp/connected-clients.ts'
import { type HttpExchange, isOnThisMachine } from '../mcp/http-exchange.ts'
import { type RequestId, replyMessage } from '../mcp/json-rpc.ts'
import { gatewayFailure } from '../mcp/rpc-errors.ts'
import { EVENT_STREAM_HEADERS, eventText, keepAlive, MAX_UNREAD_BYTES, RECONNECT_SOON } from '../mcp/reply.ts'
import type { Session } from '../mcp/session.ts'
import type { SessionPlaces, Sessions } from '../mcp/sessions.ts'
import type { SdkParts } from './lazy-sdk.ts'
import { sdkServer } from './sdk-server.ts'

/** Room for some large answers. */
const MAX_UNREAD_ANSWER_BYTES = 16 * MAX_UNREAD_BYTES
/** A client that sent nothing for this long will hardly do so while it opens another stream. */
const QUIET_MS = 10_000

/** HTTP+SSE: each stream is a session with an SDK server of its own. */
export class SseTransports {
  readonly #answering: Answering
  readonly #sessions: Sessions
  readonly #homes: SessionPlaces
  readonly #clients: ConnectedClients
  readonly #now: () => number
  readonly #transports = new Map<Session, SseTransport>()
  /** Resolves when the last stream has ended; absent until they are released. */
  #released: PromiseWithResolvers<void> | undefined

  constructor({ answering, sessions, homes, clients, now = () => performance.now() }: Omit<SdkParts, 'listenLimits'>) {
    this.#answering = answering
    this.#sessions = sessions
    this.#homes = homes
    this.#clients = clients
    this.#now = now
  }

  /** Opens the stream. Its first event names the address for messages. */
  async open(exchange: HttpExchange, messagesPath: string): Promise<void> {
    const { res, principal, endpoint } = exchange
    if (this.#homes.isLeaving && (await this.#homes.passOn(exchange))) return
    const session = this.#homes.begin('sse', principal, endpoint)
    session.isLocal = isOnThisMachine(exchange)
    const transport = new SseTransport(res, () => {
      if (this.#released !== undefined) session.end()
    })
    this.#transports.set(session, transport)
    session.open += 1
    session.atEnd((reason) => {
      this.#transports.delete(session)
      if (this.#transports.size === 0) this.#released?.resolve()
      if (reason.code === 'TOKEN_INVALID') transport.refuseOpen(reason)
      void transport.close()
    })
    res.once('close', () => session.end())
    res.writeHead(200, EVENT_STREAM_HEADERS)
    res.write(`${RECONNECT_SOON}event: endpoint\ndata: ${messagesPath}?sessionId=${session.sessionId}\n\n`)
    keepAlive(res)
  }

  /**
   * Ends each stream: the clients open others, with other replicas. A message between the two streams would be lost, so that
   * a stream ends right after an answer, or when its client is quiet. Those with neither end with the signal.
   */
  async release(until: AbortSignal): Promise<void> {
    this.#released = Promise.withResolvers()
    this.sweep()
    if (this.#transports.size > 0) await Promise.race([this.#released.promise, aborted(until)])
    for (const [session, { isIdle }] of this.#transports) if (isIdle) session.end()
  }

  /** Ends the streams of quiet clients once streams are released. */
  sweep(): void {
    if (this.#released === undefined) return
    const since = this.#now() - QUIET_MS
    for (const [session, { isIdle }] of this.#transports) if (isIdle && session.lastUsed <= since) session.end()
  }

  /** Takes a message of the client; the answer to it goes to the stream. */
  async post(exchange: HttpExchange): Promise<void> {
    const { req, res, principal, endpoint, body } = exchange
    const id = new URL(req.url ?? '/', 'http://gateway').searchParams.get('sessionId')
    if (id === null) {
      throw new GatewayError('REQUEST_INVALID', {
        reason: 'the parameter sessionId is missing',
        remedy: 'Open the event stream first and post to the address that it names',
      })
    }
    const known = this.#sessions.find(id, 'sse', principal, endpoint)
    const session = known ?? (await this.#homes.locate(exchange, id, 'sse'))
    const transport = session && this.#transports.get(session)
    // Another replica has the stream, and has answered.
    if (session === undefined || transport === undefined) return
    if (!isMessage(body)) throw new GatewayError('REQUEST_INVALID', { reason: 'the body is not one JSON-RPC message' })
    if (transport.onmessage === undefined) await this.#connect(session, transport, body)
    res.writeHead(202).end()
    transport.receive(body)
  }

  /** Connects a server with the first message, because its capabilities may depend on the client. */
  async #connect(session: Session, transport: SseTransport, first: JSONRPCMessage): Promise<void> {
    if ('method' in first && first.method === 'initialize') session.introduce(first.params)
    const server = sdkServer(this.#answering, session, {
      onAnswer: (asked, told) => session.track(asked, told),
    })
    await server.connect(transport)
    session.subscribeToChanges(this.#clients, this.#answering, (change) => {
      server.notification(change).catch(() => undefined)
    })
    session.atEnd(() => this.#answering.handler.sessionClosed(session.sessionId))
  }
}

function isMessage(body: unknown): body is JSONRPCMessage {
  return isRecord(body) && (isJSONRPCRequest(body) || isJSONRPCNotification(body) || isJSONRPCResponse(body))
}

class SseTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #res: ServerResponse
  /** The ids of requests that have no answer yet. */
  readonly #open = new Set<RequestId>()
  readonly #answered: () => void

  /** @param answered called when no request is left without an answer */
  constructor(res: ServerResponse, answered: () => void) {
    this.#res = res
    this.#answered = answered
  }

  /** Whether every request has its answer. */
  get isIdle(): boolean {
    return this.#open.size === 0
  }

  async start(): Promise<void> {}

  receive(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#open.add(message.id)
    else if ('method' in message && message.method === 'notifications/cancelled') {
      this.#open.delete(message.params?.['requestId'] as RequestId)
    }
    this.onmessage?.(message)
  }

  /** Answers all open requests with an error: their clients would wait for answers on the next stream. */
  refuseOpen(error: GatewayError): void {
    for (const id of this.#open) this.#res.write(eventText(replyMessage(id, { error: gatewayFailure(error) })))
    this.#open.clear()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#res.destroyed || this.#res.writableEnded) return
    if (isJSONRPCResponse(message) && message.id !== undefined) this.#open.delete(message.id)
    // Answers cannot be dropped as notifications can: a client that sends requests and reads nothing is disconnected.
    if (this.#res.writableLength > MAX_UNREAD_ANSWER_BYTES) this.#res.destroy()
    else this.#res.write(eventText({ ...message }))
    if (isJSONRPCResponse(message) && this.isIdle) this.#answered()
  }

  async close(): Promise<void> {
    this.#res.end()
    this.onclose?.()
  }
}
