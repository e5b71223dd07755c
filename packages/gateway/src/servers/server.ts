/** What a server is doing. `idle` is ready to start on demand; `stopped` was stopped or disabled on purpose. */
export type ServerState = 'starting' | 'running' | 'idle' | 'stopped' | 'failed' | 'needs-login' | 'quarantined'

/** How to reach a server, and what it may cost. Immutable: a change makes a new definition. */
export interface ServerDefinition {
  /** Stable for ever, part of every tool key; never contains a colon. */
  readonly id: string
  /** What people call it; the prefix of exposed names. */
  readonly name: string
  readonly transport: StdioTransport | HttpTransport
  readonly enabled: boolean
  /** `eager` starts with the gateway, `on-demand` with the first call (its last known tools are listed meanwhile). */
  readonly start: 'eager' | 'on-demand'
  readonly limits: ServerLimits
  /** Protocol era to speak; `auto` finds out (a stdio server is taken as legacy unless it says otherwise). */
  readonly era: 'auto' | 'legacy' | '2026-07-28'
}

/** A program that is started and spoken to over its standard streams. */
export interface StdioTransport {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment beyond a small allowlist (PATH, HOME, LANG, TMPDIR …): nothing of ours is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A URL. `sse` is the old HTTP+SSE transport. */
export interface HttpTransport {
  readonly kind: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How to log in where the server asks for it; by default a person does, and we register by ourselves. */
  readonly auth?: ServerAuth
}

/** A login at a server: of a person (`oauth`), or of the gateway itself. `issuer` is the only one that gets our secrets. */
export type ServerAuth =
  | {
      readonly type: 'oauth'
      readonly clientId?: string
      readonly clientSecret?: string
      readonly scope?: string
      readonly issuer?: string
    }
  | {
      readonly type: 'client-credentials'
      readonly clientId: string
      readonly clientSecret: string
      readonly scope?: string
      readonly issuer?: string
    }

/** Every limit in milliseconds, bytes or a count. */
export interface ServerLimits {
  readonly startTimeoutMs: number
  readonly listTimeoutMs: number
  /** A call's limit; progress extends it up to `maxCallTimeoutMs`. */
  readonly callTimeoutMs: number
  readonly maxCallTimeoutMs: number
  readonly maxConcurrentCalls: number
  readonly maxReplyBytes: number
  /** An on-demand server stops after this long without a call; 0 = never. */
  readonly idleStopMs: number
  readonly maxTools: number
}

/** What is known of a server now. Derived, never stored. */
export interface ServerStatus {
  readonly id: string
  readonly name: string
  readonly state: ServerState
  /** Since when, as epoch milliseconds. */
  readonly since: number
  readonly pid?: number
  readonly era?: 'legacy' | 'modern'
  readonly lastError?: { readonly code: string; readonly message: string; readonly at: number }
  /** The page that a person opens to log in, while the state is `needs-login`. */
  readonly loginUrl?: string
  readonly restarts: number
}

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
