import type { AdminRole } from '@tooldex/contract/admin'
import type { EndpointConfig, ProjectConfig, ServerConfig } from '@tooldex/contract'
import type { SecretPart } from './server-secrets.ts'
import type { StoredTokens } from './stored-tokens.ts'

/**
 * The configuration made through the admin API, as stored. Configuration files have the same shapes. An entry that did not
 * change is the same object in the next state.
 */
export interface StoredState {
  /** Grows with every change; equal revisions mean equal states. */
  readonly revision: number
  /** In order of priority. */
  readonly servers: readonly StoredServer[]
  readonly projects: readonly StoredProject[]
  readonly endpoints: readonly StoredEndpoint[]
  readonly tokens: StoredTokens
  /** Settings of the gateway as a whole, by name. */
  readonly settings: ReadonlyMap<string, unknown>
}

interface Stored {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** A server. Its secrets are encrypted at rest and decrypted here. */
export interface StoredServer extends Stored {
  /** `toolPermissions` included. */
  readonly config: ServerConfig
  /** Parts with secrets that no available key decrypts. They are masked in `config` and kept on the next `put`; the server must not start. */
  readonly unreadableSecrets?: readonly SecretPart[]
}

/** A project with its servers and tool settings. */
export interface StoredProject extends Stored {
  readonly config: ProjectConfig
}

/** An endpoint. */
export interface StoredEndpoint extends Stored {
  readonly config: EndpointConfig
}

/** A token with the hash of its secret. */
export interface StoredToken extends Stored {
  readonly name: string
  /** An admin token is valid for the admin API only, a client token for endpoints only. */
  readonly kind: 'client' | 'admin'
  /** Of an admin token that is not an administrator's; absent in all others. */
  readonly role?: Exclude<AdminRole, 'administrator'>
  /** SHA-256 in hex. */
  readonly hash: string
  /** Absent means all. */
  readonly projects?: readonly string[]
  readonly servers?: readonly string[]
  /** Tool keys; absent means all of the servers. */
  readonly tools?: readonly string[]
  readonly readOnly: boolean
  readonly expiresAt?: number
}
