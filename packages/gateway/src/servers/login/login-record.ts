import { createHash, timingSafeEqual } from 'node:crypto'
import type { OAuthDiscoveryState, OAuthTokens } from '@modelcontextprotocol/client'
import type { LoginStore } from '../../model/store.ts'

/** What is kept of the login at a server. Everything in it is secret. */
export interface LoginRecord {
  /** Whom the login is for: a server that moved, or is configured otherwise, does not get it. */
  readonly bond: string
  readonly discovery?: OAuthDiscoveryState
  readonly client?: RegisteredClient
  readonly tokens?: KeptTokens
  readonly pending?: PendingLogin
}

/** How we are known at an authorization server. */
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
  /** Absent where the authorization server does not say. */
  readonly expiresAt?: number
}

/** A login that a person may be about to finish. */
export interface PendingLogin {
  readonly stateHash: string
  readonly codeVerifier: string
  readonly redirectUri: string
  readonly url: string
  readonly expiresAt: number
}

/** A new one is due this long before a token ends, or a fifth of its life where that is short. */
const RENEW_BEFORE_MS = 60_000

/** The record that was kept for this server, or a new one. */
function readRecord(kept: Readonly<Record<string, unknown>> | undefined, bond: string): LoginRecord {
  return kept?.['bond'] === bond ? (kept as unknown as LoginRecord) : { bond }
}

/** Ties a login to what it was made for. */
export function bondOf(parts: readonly (string | undefined)[]): string {
  return sha256(JSON.stringify(parts.map((part) => part ?? null)))
}

/** Tokens as they are kept. */
export function keepTokens(tokens: OAuthTokens, issuer: string, now: number): KeptTokens {
  const seconds = Number(tokens.expires_in)
  const isKnown = tokens.expires_in !== undefined && Number.isFinite(seconds)
  return { ...tokens, issuer, obtainedAt: now, ...(isKnown && { expiresAt: now + seconds * 1_000 }) }
}

/** Whether new tokens should be asked for. */
export function areDue({ obtainedAt, expiresAt }: KeptTokens, now: number): boolean {
  if (expiresAt === undefined) return false
  return now >= expiresAt - Math.min(RENEW_BEFORE_MS, (expiresAt - obtainedAt) / 5)
}

/** Whether tokens have ended. */
export function areOver({ expiresAt }: KeptTokens, now: number): boolean {
  return expiresAt !== undefined && now >= expiresAt
}

/** The hash under which a state is kept: whoever reads the store cannot finish a login with it. */
export function stateHashOf(state: string): string {
  return sha256(state)
}

/** Compares without telling how much of it was right. */
export function isSameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/** What is kept of one server's login: read and changed one after the other, so that no change undoes another. */
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

  /** As last read or changed here; absent before that. */
  get latest(): LoginRecord | undefined {
    return this.#latest
  }

  /** As last read or changed here; read if need be. */
  async load(): Promise<LoginRecord> {
    return this.#latest ?? this.reload()
  }

  /** As it is in the store, which other processes may have changed; as last known while the store cannot be read. */
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
   * Changes what is in the store now. A change that the store does not take holds here and is written with the next one:
   * a renewed token that was thrown away could never be renewed again.
   * @throws what the store throws, where nothing is known to change
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

  /** What could not be written yet is newer than what is in the store. */
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

/** Why a login came to nothing, to be read after the server's name. The text is ours and has no secrets. */
export class LoginFailure extends Error {
  override readonly name = 'LoginFailure'
}
