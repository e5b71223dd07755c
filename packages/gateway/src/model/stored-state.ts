import type { EndpointConfig, ProjectConfig, ServerConfig } from '@tooldex/contract'

/** Everything that was decided through the admin API, as it is stored. Files declare the same shapes. */
export interface StoredState {
  /** Grows with every change; the same number means the same state. */
  readonly revision: number
  /** In order of priority. */
  readonly servers: readonly StoredServer[]
  readonly projects: readonly StoredProject[]
  readonly endpoints: readonly StoredEndpoint[]
  readonly tokens: readonly StoredToken[]
  /** Settings of the gateway as a whole, by name. */
  readonly settings: ReadonlyMap<string, unknown>
}

interface Stored {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** A server. Values of environment variables and headers are secrets: encrypted at rest, plain in here. */
export interface StoredServer extends Stored {
  /** `toolPermissions` included. */
  readonly config: ServerConfig
  /** Secrets that no key at hand can read: `config` lacks them, putting it back keeps them. Such a server must not start. */
  readonly unreadableSecrets?: readonly ('env' | 'headers' | 'auth')[]
}

/** A project with its servers and what it says of single tools. */
export interface StoredProject extends Stored {
  readonly config: ProjectConfig
}

/** An endpoint. */
export interface StoredEndpoint extends Stored {
  readonly config: EndpointConfig
}

/** A token: never the secret, only its hash. */
export interface StoredToken extends Stored {
  readonly name: string
  /** An admin token opens the admin API and nothing else; a client token opens endpoints and nothing else. */
  readonly kind: 'client' | 'admin'
  /** SHA-256 in hex. */
  readonly hash: string
  /** Absent: all. */
  readonly projects?: readonly string[]
  readonly servers?: readonly string[]
  readonly readOnly: boolean
  readonly expiresAt?: number
  readonly lastUsedAt?: number
}
