import type { ServerDefinition, ServerStatus } from '../model/server.ts'

/** A JSON-RPC request or notification towards a server; ids are the connection's own. */
export interface ServerRequest {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** How one request travels. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
  readonly onProgress?: ((progress: Readonly<Record<string, unknown>>) => void) | undefined
  /** Log messages and other notifications that belong to this request. */
  readonly onNotification?: (notification: ServerRequest) => void
  /** The client behind the request, where the server may ask it back (elicitation, sampling, roots). */
  readonly client?: ClientLink | undefined
}

/** A client's side of a conversation that a server may address. One per downstream session; without one, per call. */
export interface ClientLink {
  readonly sessionId: string
  /** Set where a call stands for a session: calls of one group may have a connection one after the other, never together. */
  readonly group?: string
  /** What the client declared; a server is told no more than this. */
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly info?: Readonly<Record<string, unknown>>
  /** Answers a request of the server, or throws the client's error as ServerReplyError; absent in 2026-07-28, which has none. */
  readonly answer?: (request: ServerRequest, signal: AbortSignal) => Promise<Readonly<Record<string, unknown>>>
}

/** A raw JSON-RPC result, passed on byte for byte. The content of a very large one is a RawJson. */
export type RawResult = Readonly<Record<string, unknown>>

/** One connected (or connectable) MCP server. */
export interface Server {
  readonly definition: ServerDefinition
  status(): ServerStatus
  /** What the server declared; absent until it was first connected. */
  capabilities(): Readonly<Record<string, unknown>> | undefined
  instructions(): string | undefined
  /** Starts if need be, then sends. @throws GatewayError SERVER_* codes; a server's own JSON-RPC error as ServerReplyError. */
  request(request: ServerRequest, options?: RequestOptions): Promise<RawResult>
  start(): Promise<void>
  /** Ends everything it started, grandchildren included. */
  stop(): Promise<void>
  restart(): Promise<void>
  /** The latest lines of its standard error, oldest first. */
  logs(): readonly { readonly at: number; readonly line: string }[]
  /** Drops the connection that a downstream session owned, if it had one of its own. */
  closeSession(sessionId: string): Promise<void>
}

/** What servers report as it happens. */
export type ServerEvent =
  | { readonly kind: 'state'; readonly serverId: string; readonly status: ServerStatus }
  | { readonly kind: 'list-changed'; readonly serverId: string; readonly list: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource-updated'; readonly serverId: string; readonly uri: string; readonly sessionId?: string }
  | { readonly kind: 'log'; readonly serverId: string; readonly params: Readonly<Record<string, unknown>> }

/** All servers of the gateway. */
export interface ServerPool {
  get(serverId: string): Server | undefined
  all(): readonly Server[]
  /** Makes the pool match the definitions: starts what is new, stops what is gone, restarts only what changed. */
  reconcile(definitions: readonly ServerDefinition[]): Promise<void>
  onEvent(listener: (event: ServerEvent) => void): () => void
  stop(): Promise<void>
}
