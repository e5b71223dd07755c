/** The state of a server. `idle` starts on demand; `stopped` was stopped or disabled on purpose; `held` waits for approval. */
export type ServerState = 'starting' | 'running' | 'idle' | 'stopped' | 'failed' | 'needs-login' | 'held'

/** The connection and the limits of a server. Immutable: a change makes a new definition. */
export interface ServerDefinition {
  /** Never changes, and is part of every tool key; never contains a colon. */
  readonly id: string
  /** The display name; the prefix of exposed names. */
  readonly name: string
  /** What it is for, as its administrator says. */
  readonly description?: string
  readonly transport: StdioTransport | HttpTransport
  readonly enabled: boolean
  /** `eager` starts with the gateway, `on-demand` with the first call (its last known tools are listed meanwhile). */
  readonly start: 'eager' | 'on-demand'
  readonly limits: ServerLimits
  /** The processes of a program: one for all clients, one for each, or one for each once it asks its clients back. */
  readonly instances: 'auto' | 'shared' | 'per-client'
  /** `one`: a program that runs in one of the gateways on a database; absent if it runs in each. */
  readonly placement?: 'one'
  /** Whether a program gets the folders (roots) of clients on this machine. */
  readonly roots: boolean
  /** The protocol era; `auto` detects it (a stdio server counts as legacy unless it announces otherwise). */
  readonly era: 'auto' | 'legacy' | '2026-07-28'
  /** The values that its configuration refers to and that are not set. It is disabled while there are any. */
  readonly missingValues?: readonly string[]
  /** Its command line or URL waits for approval. It is not started meanwhile. */
  readonly isHeld?: boolean
  /** It has no login: it is only tried out. */
  readonly hasNoLogin?: boolean
}

/** A program that the gateway starts and connects to over its standard streams. */
export interface StdioTransport {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** Added to a small allowlist (PATH, HOME, LANG, TMPDIR …); the environment of the gateway is not inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server behind a URL. `sse` is the old HTTP+SSE transport. */
export interface HttpTransport {
  readonly kind: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** How to log in if the server requires it; by default a person logs in, and the gateway registers itself as a client. */
  readonly auth?: ServerAuth
}

/** A login of a person (`oauth`) or of the gateway itself. Secrets are sent to `issuer` only. */
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
  /** The time limit of a call; progress extends it up to `maxCallTimeoutMs`. */
  readonly callTimeoutMs: number
  readonly maxCallTimeoutMs: number
  readonly maxConcurrentCalls: number
  readonly maxReplyBytes: number
  /** An on-demand server stops after this time without a call; 0 means never. */
  readonly idleStopMs: number
  /** The processes of a program that run for one client each. */
  readonly maxInstances: number
  readonly maxTools: number
}

/** The current status of a server. Derived, never stored. */
export interface ServerStatus {
  readonly id: string
  readonly name: string
  readonly state: ServerState
  /** The time of the last state change, in epoch milliseconds. */
  readonly since: number
  readonly pid?: number
  readonly era?: 'legacy' | 'modern'
  readonly lastError?: { readonly code: string; readonly message: string; readonly at: number }
  /** The page that a person opens to log in, while the state is `needs-login`. */
  readonly loginUrl?: string
  readonly restarts: number
  /** Absent for a server behind a URL. */
  readonly instances?: InstanceStatus
}

/** The processes of a program beside the one that all clients share. */
export interface InstanceStatus {
  /** Whether each client gets a process. */
  readonly perClient: boolean
  /** Processes that run for one client each. */
  readonly running: number
}

/** What a client is told to do about a server that needs a login. */
export function askAdministrator(serverId: string): string {
  return `Ask an administrator to log in: on the page of the server in the console, or with \`tooldex server login ${serverId}\``
}
