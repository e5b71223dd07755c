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
