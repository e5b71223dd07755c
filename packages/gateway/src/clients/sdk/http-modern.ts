import { randomUUID } from 'node:crypto'
import {
  createMcpHandler,
  type McpHttpHandler,
  type ServerEvent,
  type ServerEventBus,
} from '@modelcontextprotocol/server'
import type { Principal } from '../../model/principal.ts'
import { type Answering, statusOf } from '../mcp/answer.ts'
import type { ClientEvent, ConnectedClients } from '../mcp/connected-clients.ts'
import { type Exchange, header, parameterHeaders } from '../http/exchange.ts'
import { isObject, type JsonObject, META_KEY } from '../mcp/json-rpc.ts'
import { callerOutsideRequest, type Peer } from '../mcp/peer.ts'
import { KEEP_ALIVE_MS } from '../mcp/reply.ts'
import { sdkServer } from './sdk-server.ts'
import { webRequest, writeResponse } from './web-bridge.ts'

/** How many `subscriptions/listen` streams may be open: of one token, and of all. */
export interface ListenLimits {
  readonly perToken: number
  readonly total: number
}

const LISTEN_LIMITS: ListenLimits = { perToken: 1_000, total: 5_000 }

/** Streamable HTTP of 2026-07-28: nothing outlives its request, so that each request has an SDK handler of its own. */
export class ModernHttp {
  readonly #answering: Answering
  readonly #clients: ConnectedClients
  readonly #limits: ListenLimits
  readonly #open = new Set<McpHttpHandler>()
  readonly #listening = new Map<McpHttpHandler, Peer>()

  constructor(answering: Answering, clients: ConnectedClients, limits: ListenLimits = LISTEN_LIMITS) {
    this.#answering = answering
    this.#clients = clients
    this.#limits = limits
  }

  async post(exchange: Exchange): Promise<void> {
    const { req, res, body } = exchange
    const peer = peerOf(exchange)
    let status: number | undefined
    const isListen = isObject(body) && body['method'] === 'subscriptions/listen'
    const handler = createMcpHandler(
      () => sdkServer(this.#answering, peer, (_, told) => (status = statusOf('modern', told))),
      {
        legacy: 'reject',
        keepAliveMs: KEEP_ALIVE_MS,
        bus: isListen ? this.#oneStreamBus(exchange, peer, () => handler) : NO_EVENTS,
        maxSubscriptions: this.#hasRoom(exchange.principal) ? 1 : 0,
      },
    )
    this.#open.add(handler)
    try {
      const response = await handler.fetch(webRequest(req, res), { parsedBody: body })
      await writeResponse(res, response, isJson(response) ? status : undefined)
    } finally {
      this.#open.delete(handler)
    }
  }

  /** Ends the streams of tokens that are not valid any more. */
  sweep(isValid: (principal: Principal, endpointId: string) => boolean): void {
    for (const [handler, { principal, endpoint }] of this.#listening) {
      if (!isValid(principal, endpoint.id)) void handler.close()
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

  /** The SDK owns the stream (acknowledgement, filter, ids); we own who hears what, how often, and the subscriptions. */
  #oneStreamBus({ body }: Exchange, peer: Peer, handlerOf: () => McpHttpHandler): ServerEventBus {
    const id = randomUUID()
    const uris = listenedUris(body)
    return {
      publish: () => undefined,
      subscribe: (listener) => {
        const leave = this.#clients.add({
          id,
          endpointId: peer.endpoint.id,
          watches: (uri) => uris.has(uri),
          deliver: (event) => listener(busEvent(event)),
        })
        const handler = handlerOf()
        this.#listening.set(handler, peer)
        subscribeAll(this.#answering, { ...peer, sessionId: id }, uris)
        return () => {
          leave()
          this.#listening.delete(handler)
          this.#answering.handler.sessionClosed(id)
        }
      },
    }
  }
}

/** Servers with sessions want to be asked for each resource; a listening stream stands in for the session. */
export function subscribeAll(answering: Answering, peer: Peer, uris: ReadonlySet<string>): void {
  for (const uri of uris) {
    const caller = callerOutsideRequest(peer)
    answering.handler
      .handle({ method: 'resources/subscribe', params: { uri } }, caller)
      .catch(() => answering.log.warn({ requestId: caller.requestId }, 'A listened resource cannot be subscribed to'))
  }
}

const NO_EVENTS: ServerEventBus = { publish: () => undefined, subscribe: () => () => undefined }

function peerOf({ principal, endpoint, body, req }: Exchange): Peer {
  const params = isObject(body) && isObject(body['params']) ? body['params'] : {}
  const meta = isObject(params['_meta']) ? params['_meta'] : {}
  const { [META_KEY.clientInfo]: clientInfo, [META_KEY.clientCapabilities]: capabilities } = meta
  return {
    principal,
    endpoint,
    era: 'modern',
    protocolVersion: header(req, 'mcp-protocol-version') ?? '',
    ...(isObject(clientInfo) ? { clientInfo } : {}),
    clientCapabilities: isObject(capabilities) ? capabilities : {},
    parameterHeaders: parameterHeaders(req),
  }
}

/** The resources that a `subscriptions/listen` names. */
export function listenedUris(body: unknown): ReadonlySet<string> {
  const params = isObject(body) && isObject(body['params']) ? body['params'] : {}
  const filter: JsonObject = isObject(params['notifications']) ? params['notifications'] : {}
  const uris: readonly unknown[] = Array.isArray(filter['resourceSubscriptions']) ? filter['resourceSubscriptions'] : []
  return new Set(uris.filter((uri) => typeof uri === 'string'))
}

function busEvent(event: ClientEvent): ServerEvent {
  return event.kind === 'updated'
    ? { kind: 'resource_updated', uri: event.uri }
    : { kind: `${event.kind}_list_changed` as const }
}

function isJson(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('application/json') === true
}
