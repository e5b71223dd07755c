import type { Endpoint } from '../../../model/endpoint.ts'
import type { Principal } from '../../../model/principal.ts'
import type { RpcMessage } from '../json-rpc.ts'

/** Answers MCP requests of all endpoints, whatever transport or era they came by. */
export interface RequestHandler {
  /** What we declare to a client of this endpoint. */
  describe(caller: Caller): {
    readonly capabilities: Readonly<Record<string, unknown>>
    readonly instructions?: string
    readonly serverInfo: { readonly name: string; readonly version: string }
  }
  /** The raw result. Throws GatewayError, ServerReplyError or RpcError. */
  handle(request: RpcMessage, caller: Caller): Promise<Readonly<Record<string, unknown>>>
  /** A notification from the client. */
  notified(notification: RpcMessage, caller: Caller): void
  /** A session is gone. */
  sessionClosed(sessionId: string): void
}

/** Who asks, and how to talk back while the request is open. */
export interface Caller {
  readonly principal: Principal
  readonly endpoint: Endpoint
  readonly era: 'legacy' | 'modern'
  readonly protocolVersion: string
  /** Minted by us, for audit and logs. */
  readonly requestId: string
  /** Legacy sessions only. */
  readonly sessionId?: string | undefined
  readonly clientInfo?: Readonly<Record<string, unknown>> | undefined
  readonly clientCapabilities: Readonly<Record<string, unknown>>
  /** 2026-07-28 over HTTP only: the headers `Mcp-Param-*` by what follows the dash, in lower case. */
  readonly parameterHeaders?: ReadonlyMap<string, string> | undefined
  readonly signal: AbortSignal
  /** Sends a notification to the client on the stream of this request. */
  readonly notify: (notification: RpcMessage) => void
  /** Asks the client (sampling, elicitation, roots); absent where the era or transport has no such thing. */
  readonly ask?: ((request: RpcMessage, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>) | undefined
}

/** What is told to connected clients out of band. */
export interface ClientNotifier {
  toolsChanged(endpointIds: ReadonlySet<string>): void
  promptsChanged(endpointIds: ReadonlySet<string>): void
  resourcesChanged(endpointIds: ReadonlySet<string>): void
  /** To the sessions given, or to whoever subscribed at the endpoint. */
  resourceUpdated(endpointId: string, uri: string, sessionIds?: ReadonlySet<string>): void
}

/** A JSON-RPC error of our own making, for what the protocol itself defines (unknown method, invalid params). */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly rpcCode: number
  readonly data: unknown

  constructor(rpcCode: number, message: string, data?: unknown) {
    super(message)
    this.rpcCode = rpcCode
    this.data = data
  }
}
