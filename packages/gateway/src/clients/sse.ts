// The transport of 2024-11-05 that some clients still speak: a GET that stays open for everything the server says, and a
// POST for everything the client says.

import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server'
import { GatewayError } from '../errors.ts'
import type { Answering } from './mcp/answer.ts'
import type { ConnectedClients } from './mcp/connected-clients.ts'
import type { Exchange, ResponseSink } from './http/exchange.ts'
import { hearChanges } from './mcp/hear-changes.ts'
import { trackWatched } from './sdk/http-legacy.ts'
import { isObject } from './mcp/json-rpc.ts'
import type { LegacySession, LegacySessions } from './mcp/legacy-sessions.ts'
import { EVENT_STREAM_HEADERS, eventText, keepAlive, MAX_UNREAD_BYTES } from './mcp/reply.ts'
import { sdkServer } from './sdk/sdk-server.ts'

/** Room for some large ones. */
const MOST_UNREAD_ANSWERS = 16 * MAX_UNREAD_BYTES

/** HTTP+SSE: each stream is a session with an SDK server of its own. */
export class SseHttp {
  readonly #answering: Answering
  readonly #sessions: LegacySessions
  readonly #clients: ConnectedClients
  readonly #transports = new WeakMap<LegacySession, SseTransport>()

  constructor(answering: Answering, sessions: LegacySessions, clients: ConnectedClients) {
    this.#answering = answering
    this.#sessions = sessions
    this.#clients = clients
  }

  /** Opens the stream, and says where messages are to be posted. */
  open({ res, principal, endpoint }: Exchange, messagesPath: string): void {
    const session = this.#sessions.begin('sse', principal, endpoint)
    const transport = new SseTransport(res)
    this.#transports.set(session, transport)
    session.open += 1
    session.atEnd(() => void transport.close())
    res.once('close', () => session.end())
    res.writeHead(200, EVENT_STREAM_HEADERS)
    res.write(`event: endpoint\ndata: ${messagesPath}?sessionId=${session.sessionId}\n\n`)
    keepAlive(res)
  }

  /** A message of the client; what it leads to is said on the stream. */
  async post({ req, res, principal, endpoint, body }: Exchange): Promise<void> {
    const id = new URL(req.url ?? '/', 'http://gateway').searchParams.get('sessionId')
    if (id === null) {
      throw new GatewayError('REQUEST_INVALID', {
        reason: 'the parameter sessionId is missing',
        remedy: 'Open the event stream first and post to the address that it names',
      })
    }
    const session = this.#sessions.find(id, 'sse', principal, endpoint)
    const transport = session && this.#transports.get(session)
    if (session === undefined || transport === undefined) {
      throw new GatewayError('SESSION_NOT_FOUND', { remedy: 'Open the event stream again' })
    }
    if (!isMessage(body)) throw new GatewayError('REQUEST_INVALID', { reason: 'the body is not one JSON-RPC message' })
    if (transport.onmessage === undefined) await this.#connect(session, transport, body)
    res.writeHead(202).end()
    transport.onmessage?.(body)
  }

  /** The server is made with the first message, for what it declares may depend on what the client says of itself. */
  async #connect(session: LegacySession, transport: SseTransport, first: JSONRPCMessage): Promise<void> {
    if ('method' in first && first.method === 'initialize') session.introduce(first.params)
    const server = sdkServer(this.#answering, session, trackWatched(session))
    await server.connect(transport)
    hearChanges(this.#clients, session, server)
    session.atEnd(() => this.#answering.handler.sessionClosed(session.sessionId))
  }
}

function isMessage(body: unknown): body is JSONRPCMessage {
  return isObject(body) && (isJSONRPCRequest(body) || isJSONRPCNotification(body) || isJSONRPCResponse(body))
}

class SseTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>
  onclose?: () => void
  onerror?: (error: Error) => void
  readonly #res: ResponseSink

  constructor(res: ResponseSink) {
    this.#res = res
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#res.destroyed) return
    // Answers cannot be left out as notifications can. Who asks for more and more and reads none of it is let go.
    if (this.#res.writableLength > MOST_UNREAD_ANSWERS) this.#res.destroy()
    else this.#res.write(eventText(message))
  }

  async close(): Promise<void> {
    this.#res.end()
    this.onclose?.()
  }
}
