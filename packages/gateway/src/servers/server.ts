import type { ServerDefinition, ServerStatus } from '../model/server.ts'

/** A JSON-RPC request or notification towards a server; ids are the connection's own. */
export interface ServerRequest {
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** Options of one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
  /** Entries of a large list that are read; the rest is not even parsed. */
  readonly mostEntries?: number
  readonly onProgress?: ((progress: Readonly<Record<string, unknown>>) => void) | undefined
  /** Log messages and other notifications that belong to this request. */
  readonly onNotification?: (notification: ServerRequest) => void
  /** The client of the request, if the server may send requests to it (elicitation, sampling, roots). */
  readonly client?: ClientLink | undefined
}

/** A client to which a server may send requests. One per client session; without a session, one per call. */
export interface ClientLink {
  readonly sessionId: string
  /** Set without a session: the token and endpoint of the call, whose calls may use an instance one after the other. */
  readonly group?: string
  /** Whether the client runs on this machine, so that its paths mean the same here. */
  readonly isLocal?: boolean
  /** The capabilities of the client; no others are declared to a server. */
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
  /** Starts the server if necessary, then sends. @throws GatewayError SERVER_* codes; a server's own JSON-RPC error as ServerReplyError. */
  request(request: ServerRequest, options?: RequestOptions): Promise<RawResult>
  start(): Promise<void>
  /** Ends the server and all its descendants. */
  stop(): Promise<void>
  restart(): Promise<void>
  /** What the gateway does not pass on because the server sends too much, one sentence each. */
  remarks(): readonly string[]
  /** The latest lines of its standard error, oldest first. */
  logs(): readonly { readonly at: number; readonly line: string }[]
  /** Ends the instance that a client session owns, if there is one. */
  closeSession(sessionId: string): Promise<void>
  /** Passes a notification of a client session on to the instance that it owns, if there is one. */
  notify(sessionId: string, notification: ServerRequest): void
  /** Whether the server is known to ask its clients back, now or in an earlier run. */
  asksClients(): boolean
  /** An earlier run found that the server asks its clients back. */
  rememberAsking(): void
  /** Whether callers wait for the place of others, or could not be served because of them within the last minute. */
  isContended(): boolean
}

/** An event of a server. */
export type ServerEvent =
  | { readonly kind: 'state'; readonly serverId: string; readonly status: ServerStatus }
  | { readonly kind: 'list-changed'; readonly serverId: string; readonly list: 'tools' | 'prompts' | 'resources' }
  | { readonly kind: 'resource-updated'; readonly serverId: string; readonly uri: string; readonly sessionId?: string }
  | {
      readonly kind: 'log'
      readonly serverId: string
      readonly params: Readonly<Record<string, unknown>>
      /** The only session that may read it; absent if it cannot be told. */
      readonly sessionId?: string
    }
  /** The server asked for a client for the first time. */
  | { readonly kind: 'asks-clients'; readonly serverId: string }

/** What came of starting a server once. */
export interface Trial {
  /** Absent if it could not be connected. */
  readonly serverInfo?: Readonly<Record<string, unknown>>
  /** The number of tools; absent if they could not be listed. */
  readonly tools?: number
  readonly failure?: unknown
  readonly logs: readonly string[]
}

/** All servers of the gateway. */
export interface ServerPool {
  get(serverId: string): Server | undefined
  all(): readonly Server[]
  /** Makes the pool match the definitions: starts what is new, stops what is gone, restarts only what changed. */
  reconcile(definitions: readonly ServerDefinition[]): Promise<void>
  onEvent(listener: (event: ServerEvent) => void): () => void
  /**
   * Starts a server that no client can reach, lists its tools and ends it. A failure of the server is part of the answer.
   * @throws GatewayError SERVER_BUSY
   */
  tryOut(definition: ServerDefinition, signal: AbortSignal): Promise<Trial>
  stop(): Promise<void>
}
