import { createHash, timingSafeEqual } from 'node:crypto'
import type { OAuthDiscoveryState, OAuthTokens } from '@modelcontextprotocol/client'
import type { LoginStore } from '../../model/store.ts'

/** The stored login at a server. Everything in it is secret. */
export interface LoginRecord {
  /** Binds the login to a server's URL and settings: a server with others does not get it. */
  readonly bond: string
  readonly discovery?: OAuthDiscoveryState
  readonly client?: RegisteredClient
  readonly tokens?: KeptTokens
  readonly pending?: PendingLogin
}

/** Our registration at an authorization server. */
export interface RegisteredClient {
  readonly issuer: string
  /** The address that was registered; another one needs another registration. */
  readonly redirectUri: string
  readonly clientId: string
  readonly clientSecret?: string
}

/** Tokens, and when they end. */
export interface KeptTokens extends OAuthTokens {
  readonly issuer: string
  readonly obtainedAt: number
  /** Absent if the authorization server does not name it. */
  readonly expiresAt?: number
}

/** A login that a person has not finished yet. */
export interface PendingLogin {
  /** The secret in the link that administrators get. */
  readonly ticket: string
  /** The hash of the secret that the browser got which opened the link last; only that browser can finish the login. */
  readonly browserHash?: string
  readonly stateHash: string
  readonly codeVerifier: string
  readonly redirectUri: string
  readonly url: string
  readonly expiresAt: number
}

/** Tokens are renewed this long before they expire; short-lived ones a fifth of their lifetime before. */
const RENEW_BEFORE_MS = 60_000

/** The stored record of this server, or a new one. */
function readRecord(kept: Readonly<Record<string, unknown>> | undefined, bond: string): LoginRecord {
  return kept?.['bond'] === bond ? (kept as unknown as LoginRecord) : { bond }
}

/** The value that binds a login to a server's settings. */
export function bondOf(parts: readonly (string | undefined)[]): string {
  return sha256(JSON.stringify(parts.map((part) => part ?? null)))
}

/** Tokens as they are kept. */
export function keepTokens(tokens: OAuthTokens, issuer: string, now: number): KeptTokens {
  const seconds = Number(tokens.expires_in)
  const isKnown = tokens.expires_in !== undefined && Number.isFinite(seconds)
  return { ...tokens, issuer, obtainedAt: now, ...(isKnown && { expiresAt: now + seconds * 1_000 }) }
}

/** Whether tokens should be renewed. */
export function areDue({ obtainedAt, expiresAt }: KeptTokens, now: number): boolean {
  if (expiresAt === undefined) return false
  return now >= expiresAt - Math.min(RENEW_BEFORE_MS, (expiresAt - obtainedAt) / 5)
}

/** Whether tokens have expired. */
export function areOver({ expiresAt }: KeptTokens, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt
}

/** The stored hash of a state or a browser's secret, with which a reader of the store cannot finish a login. */
export function secretHashOf(secret: string): string {
  return sha256(secret)
}

/** Compares in constant time. */
export function isSameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** The stored login of one server. Reads and changes run one after the other, so that no change undoes another. */
export class KeptLogin {
  readonly #serverId: string
  readonly #bond: string
  readonly #store: LoginStore
  #latest: LoginRecord | undefined
  #isUnsaved = false
  #turn: Promise<unknown> = Promise.resolve()

  constructor(serverId: string, bond: string, store: LoginStore) {
    this.#serverId = serverId
    this.#bond = bond
    this.#store = store
  }

  /** The record as last read or changed here; absent before that. */
  get latest(): LoginRecord | undefined {
    return this.#latest
  }

  /** The record as last read or changed here; read if necessary. */
  async load(): Promise<LoginRecord> {
    return this.#latest ?? this.reload()
  }

  /** Reads the store, which other processes may have changed; the last known record while it cannot be read. */
  reload(): Promise<LoginRecord> {
    return this.#inTurn(async () => {
      try {
        this.#latest = await this.#read()
      } catch {
        return this.#latest ?? { bond: this.#bond }
      }
      return this.#latest
    })
  }

  /**
   * Changes the record in the store. A change that the store does not accept is kept here and written with the next one: a
   * lost renewed token could never be renewed again.
   * @throws the store's error, if no record is known yet
   */
  async change(edit: (record: LoginRecord) => LoginRecord): Promise<void> {
    await this.#inTurn(async () => {
      const before = await this.#read().catch((error: unknown) => {
        if (this.#latest === undefined) throw error
        return this.#latest
      })
      this.#latest = edit(before)
      this.#isUnsaved = true
      await this.#write().catch(() => undefined)
    })
  }

  async forget(): Promise<void> {
    await this.#inTurn(async () => {
      await this.#store.remove(this.#serverId)
      this.#latest = { bond: this.#bond }
      this.#isUnsaved = false
    })
  }

  /** A change that could not be written yet is newer than the store. */
  async #read(): Promise<LoginRecord> {
    if (this.#isUnsaved) await this.#write()
    return readRecord(await this.#store.load(this.#serverId), this.#bond)
  }

  async #write(): Promise<void> {
    await this.#store.save(this.#serverId, this.#latest as unknown as Readonly<Record<string, unknown>>)
    this.#isUnsaved = false
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work)
    this.#turn = mine.catch(() => undefined)
    return mine
  }
}

/** Why a login failed, to be read after the server's name. The text is ours and has no secrets. */
export class LoginFailure extends Error {
  override readonly name = 'LoginFailure'
}
