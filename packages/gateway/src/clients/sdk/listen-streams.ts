import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  type McpHttpHandler,
  type ServerEvent,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import type { Principal } from '../../model/principal.ts'
import type { Answering } from '../mcp/answer.ts'
import { callerOutsideRequest, type ClientIdentity } from '../mcp/caller.ts'
import type { ClientEvent, ConnectedClients } from '../mcp/connected-clients.ts'
import type { HttpExchange } from '../mcp/http-exchange.ts'
import { META_KEY } from '../mcp/json-rpc.ts'
import { MODERN_VERSION } from '../mcp/protocol-versions.ts'
import { KEEP_ALIVE_MS } from '../mcp/reply.ts'
import { sdkServer } from './sdk-server.ts'
import { webRequest, writeResponse } from './web-bridge.ts'

/** How many `subscriptions/listen` streams may be open: of one token, and of all. */
export interface ListenLimits {
  readonly perToken: number
  readonly total: number
}

const LISTEN_LIMITS: ListenLimits = { perToken: 1_000, total: 5_000 }

/** The `subscriptions/listen` streams of 2026-07-28 over HTTP. Each has an SDK handler of its own. */
export class ListenStreams {
  readonly #answering: Answering
  readonly #clients: ConnectedClients
  readonly #limits: ListenLimits
  readonly #open = new Set<McpHttpHandler>()
  readonly #listening = new Map<McpHttpHandler, ClientIdentity>()

  constructor(answering: Answering, clients: ConnectedClients, limits: ListenLimits = LISTEN_LIMITS) {
    this.#answering = answering
    this.#clients = clients
    this.#limits = limits
  }

  /** Opens a stream, and resolves when it has ended. */
  async open(exchange: HttpExchange): Promise<void> {
    const { req, res, body } = exchange
    const client = clientOf(exchange)
    const handler = createMcpHandler(() => sdkServer(this.#answering, client), {
      legacy: 'reject',
      keepAliveMs: KEEP_ALIVE_MS,
      bus: this.#oneStreamBus(exchange, client, () => handler),
      maxSubscriptions: this.#hasRoom(exchange.principal) ? 1 : 0,
    })
    this.#open.add(handler)
    try {
      await writeResponse(res, await handler.fetch(webRequest(req, res), { parsedBody: body }))
    } finally {
      this.#open.delete(handler)
    }
  }

  /** Ends the streams of tokens that are no longer valid. */
  sweep(): void {
    for (const [handler, client] of this.#listening) {
      if (this.#answering.rightsNow(client) === undefined) void handler.close()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((handler) => handler.close()))
  }

  #hasRoom({ tokenId }: Principal): boolean {
    if (this.#listening.size >= this.#limits.total) return false
    let ofToken = 0
    for (const { principal } of this.#listening.values()) if (principal.tokenId === tokenId) ofToken += 1
    return ofToken < this.#limits.perToken
  }

  /** The SDK owns the stream: acknowledgement, filter, ids. The gateway decides the recipients, the pace, the subscriptions. */
  #oneStreamBus({ body }: HttpExchange, client: ClientIdentity, handlerOf: () => McpHttpHandler): ServerEventBus {
    const id = randomUUID()
    const uris = listenedUris(body)
    return {
      publish: () => undefined,
      subscribe: (listener) => {
        const unsubscribe = this.#clients.add({
          id,
          rights: () => this.#answering.rightsNow(client),
          watches: (uri) => uris.has(uri),
          deliver: (event) => event.kind !== 'logged' && listener(busEvent(event)),
        })
        const handler = handlerOf()
        this.#listening.set(handler, client)
        subscribeAll(this.#answering, { ...client, sessionId: id }, uris)
        return () => {
          unsubscribe()
          this.#listening.delete(handler)
          this.#answering.handler.sessionClosed(id)
        }
      },
    }
  }
}

/** Subscribes to each resource at its server. For servers with sessions, the listening stream stands in for a session. */
export function subscribeAll(answering: Answering, client: ClientIdentity, uris: ReadonlySet<string>): void {
  for (const uri of uris) {
    const caller = callerOutsideRequest(client)
    answering.handler
      .handle({ method: 'resources/subscribe', params: { uri } }, caller)
      .catch(() => answering.log.warn({ requestId: caller.requestId }, 'A listened resource cannot be subscribed to'))
  }
}

function clientOf({ principal, endpoint, body }: HttpExchange): ClientIdentity {
  const meta = recordIn(recordIn(body, 'params'), '_meta')
  return {
    principal,
    endpoint,
    era: 'modern',
    protocolVersion: MODERN_VERSION,
    clientInfo: recordIn(meta, META_KEY.clientInfo),
    clientCapabilities: recordIn(meta, META_KEY.clientCapabilities),
  }
}

/** The resources that a `subscriptions/listen` names. */
export function listenedUris(body: unknown): ReadonlySet<string> {
  const uris: unknown = recordIn(recordIn(body, 'params'), 'notifications')['resourceSubscriptions']
  return new Set(Array.isArray(uris) ? uris.filter((uri) => typeof uri === 'string') : [])
}

function recordIn(value: unknown, key: string): JsonObject {
  const member = isRecord(value) ? value[key] : undefined
  return isRecord(member) ? member : {}
}

function busEvent(event: Exclude<ClientEvent, { kind: 'logged' }>): ServerEvent {
  return event.kind === 'updated'
    ? { kind: 'resource_updated', uri: event.uri }
    : { kind: `${event.kind}_list_changed` as const }
}
