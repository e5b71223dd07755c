import { randomBytes } from 'node:crypto'
import type { OAuthTokens } from '@modelcontextprotocol/client'
import type { HttpTransport, ServerAuth } from '../../model/server.ts'
import type { LoginStore } from '../../model/store.ts'
import type { Credentials } from '../http/credentials.ts'
import type { ServerLabel } from '../protocol/errors.ts'
import { checkScheme, ForbiddenAddress, loginFetch, type Resolve } from './login-fetch.ts'
import * as records from './login-record.ts'
import { KeptLogin, LoginFailure } from './login-record.ts'
import type { AuthorizationServer, Challenge } from './oauth-steps.ts'

/** The collaborators of logins. */
export interface LoginParts {
  readonly store: LoginStore
  /** The redirect URL of logins; absent while the gateway cannot be reached over HTTP. */
  readonly callbackUrl: () => string | undefined
  readonly now: () => number
  /** Resolves host names; the system's resolver by default. */
  readonly resolve?: Resolve
}

/** Where an administrator begins a login: the page binds it to the browser and leads on to the authorization server. */
export const BEGIN_PATH = '/oauth/login'

/** How long a login can be finished. */
const PENDING_MS = 600_000
/** A link with less than this left is replaced by a new one. */
const FRESH_MS = 120_000
/** The shortest time between two automatic attempts to open a login. */
const RETRY_MS = 30_000

const INTERACTIVE: ServerAuth = { type: 'oauth' }

/** A login that a browser has opened. */
export interface OpenedLogin {
  /** The page of the authorization server. */
  readonly url: string
  /** The secret that the browser shows when it comes back. */
  readonly browser: string
  /** Whether the browser comes back over TLS. */
  readonly isSecure: boolean
}

/** The login at one server: its tokens, their renewal, and the login page for a person. */
export class ServerLogin implements Credentials {
  readonly server: ServerLabel
  readonly #url: string
  readonly #auth: ServerAuth
  readonly #kept: KeptLogin
  readonly #parts: LoginParts
  readonly #fetch: ReturnType<typeof loginFetch>
  #challenge: Challenge = {}
  #renewing: Promise<string | undefined> | undefined
  #beginning: Promise<string | undefined> | undefined
  #beganAt = Number.NEGATIVE_INFINITY
  #isWanted = false
  /** Why the last attempt failed. */
  #trouble: string | undefined

  constructor(server: ServerLabel, { url, auth = INTERACTIVE }: HttpTransport, parts: LoginParts) {
    this.server = server
    this.#url = url
    this.#auth = auth
    const bond = records.bondOf([url, auth.type, auth.clientId, auth.clientSecret, auth.scope, auth.issuer])
    this.#kept = new KeptLogin(server.id, bond, parts.store)
    this.#parts = parts
    this.#fetch = loginFetch(url, parts.resolve)
  }

  /** Whether the server requires a login that we do not have. */
  get isWanted(): boolean {
    return this.#isWanted
  }

  /** Why the last attempt to log in or renew failed. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** The page of the gateway on which an administrator begins the login, while one is open. */
  get link(): string | undefined {
    const pending = this.#kept.latest?.pending
    return pending !== undefined && pending.expiresAt > this.#parts.now() ? this.#linkTo(pending) : undefined
  }

  authorization(): string | undefined | Promise<string | undefined> {
    const { latest } = this.#kept
    return latest === undefined ? this.#kept.load().then((kept) => this.#shown(kept)) : this.#shown(latest)
  }

  #shown({ tokens }: records.LoginRecord): string | undefined | Promise<string | undefined> {
    if (tokens === undefined) return undefined
    return records.areDue(tokens, this.#parts.now()) ? this.#renewed(tokens) : headerOf(tokens)
  }

  async #renewed(tokens: records.KeptTokens): Promise<string | undefined> {
    const renewed = await this.#renew()
    if (renewed !== undefined) return renewed
    return records.areOver(tokens, this.#parts.now()) ? undefined : headerOf(tokens)
  }

  async refused(used: string | undefined, challenge: string): Promise<string | undefined> {
    const { challengeOf } = await import('./oauth-steps.ts')
    this.#challenge = challengeOf(challenge)
    // Another caller or process may have logged in or renewed meanwhile.
    const { tokens } = await this.#kept.reload()
    if (tokens !== undefined && headerOf(tokens) !== used) return headerOf(tokens)
    const renewed = await this.#renew()
    if (renewed !== undefined) return renewed
    this.#isWanted = true
    await this.begin()
    return undefined
  }

  /** Replaces an expired login page; waits between attempts if the authorization server fails. */
  renewLink(): void {
    const now = this.#parts.now()
    if (this.#beginning !== undefined || now - this.#beganAt < RETRY_MS) return
    void this.begin()
  }

  /** Opens a login, or returns the open one. Absent if that is not possible; `trouble` has the reason. */
  begin(): Promise<string | undefined> {
    this.#beganAt = this.#parts.now()
    this.#beginning ??= this.#attempt(() => this.#begin()).finally(() => {
      this.#beginning = undefined
    })
    return this.#beginning
  }

  /**
   * Binds the open login to the browser that opened its link.
   * @throws LoginFailure for another ticket, and for one that expired
   */
  async open(ticket: string): Promise<OpenedLogin> {
    const { pending } = await this.#kept.reload()
    const isOpen = pending !== undefined && pending.expiresAt > this.#parts.now()
    if (!isOpen || !isSame(ticket, pending.ticket)) {
      throw new LoginFailure('this link was used already, or is older than ten minutes; ask for a new one')
    }
    const browser = randomBytes(32).toString('base64url')
    const browserHash = records.secretHashOf(browser)
    await this.#kept.change((record) => ({ ...record, pending: { ...pending, browserHash } }))
    return { url: pending.url, browser, isSecure: pending.redirectUri.startsWith('https:') }
  }

  /**
   * Finishes the login that the state belongs to, for the browser that began it.
   * @throws LoginFailure; an unknown state and another browser change nothing
   */
  async finish(answer: URLSearchParams, browser: string): Promise<void> {
    const record = await this.#kept.reload()
    const { pending, discovery } = record
    const isOurs =
      pending !== undefined && records.isSameHash(records.secretHashOf(answer.get('state') ?? ''), pending.stateHash)
    if (!isOurs) throw new LoginFailure('this login was finished before, or never begun here; begin it again')
    if (!records.isSameHash(records.secretHashOf(browser), pending.browserHash ?? '')) {
      throw new LoginFailure('it was begun in another browser; open the link of the gateway in this one')
    }
    await this.#kept.change(({ pending: _, ...rest }) => rest)
    if (pending.expiresAt <= this.#parts.now()) throw new LoginFailure('this login took too long; begin it again')
    const code = answer.get('code')
    if (code === null) throw new LoginFailure(refusalOf(answer.get('error')))
    const steps = await import('./oauth-steps.ts')
    try {
      if (discovery === undefined) throw new LoginFailure('this login was never begun here; begin it again')
      const server = await steps.authorizationServer(this.#url, discovery, this.#fetch)
      const client = this.#configuredClient(server.issuer, pending.redirectUri) ?? record.client
      if (client === undefined) throw new LoginFailure('this login was never begun here; begin it again')
      const tokens = await steps.redeem(server, client, pending, { code, iss: answer.get('iss') ?? undefined })
      await this.#keep(tokens, server.issuer)
    } catch (error) {
      throw new LoginFailure(reasonOf(error, steps.oauthCodeOf(error)), { cause: error })
    }
  }

  /** Forgets the tokens and the rest of the record. */
  async forget(): Promise<void> {
    await this.#kept.forget()
    this.#trouble = undefined
  }

  /** All callers share one renewal. */
  #renew(): Promise<string | undefined> {
    this.#renewing ??= this.#attempt(() => this.#obtain()).finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #obtain(): Promise<string | undefined> {
    const before = (await this.#kept.load()).tokens?.access_token
    const record = await this.#kept.reload()
    if (record.tokens !== undefined && record.tokens.access_token !== before) return headerOf(record.tokens)
    const auth = this.#auth
    const steps = await import('./oauth-steps.ts')
    const refreshToken = record.tokens?.refresh_token
    if (auth.type === 'oauth' && (refreshToken === undefined || record.discovery === undefined)) return undefined
    const discovery = record.discovery ?? (await steps.discover(this.#url, this.#fetch, this.#challenge))
    const server = await this.#trusted(await steps.authorizationServer(this.#url, discovery, this.#fetch))
    const scope = steps.scopeOf(auth.scope, this.#challenge, discovery)
    try {
      const client = record.tokens && (this.#configuredClient(server.issuer, '') ?? record.client)
      const tokens =
        auth.type === 'client-credentials'
          ? await steps.clientCredentials(server, auth, scope)
          : await steps.refresh(server, known(client), refreshToken ?? '')
      await this.#kept.change((now) => ({ ...now, discovery }))
      return await this.#keep(tokens, server.issuer)
    } catch (error) {
      if (!steps.isFinal(error)) throw error
      return await this.#afterRefusal(record.tokens, error)
    }
  }

  /** Drops the refused tokens, unless another process has replaced them meanwhile. */
  async #afterRefusal(refused: records.KeptTokens | undefined, error: unknown): Promise<string> {
    const isOld = (tokens: records.KeptTokens) => tokens.access_token === refused?.access_token
    await this.#kept.change(({ tokens, ...rest }) =>
      tokens === undefined || isOld(tokens) ? rest : { ...rest, tokens },
    )
    const { tokens } = await this.#kept.load()
    if (tokens === undefined) throw error
    return headerOf(tokens)
  }

  async #keep(tokens: OAuthTokens, issuer: string): Promise<string> {
    const kept = records.keepTokens(tokens, issuer, this.#parts.now())
    await this.#kept.change((record) => ({ ...record, tokens: kept }))
    this.#isWanted = false
    this.#trouble = undefined
    return headerOf(kept)
  }

  async #begin(): Promise<string | undefined> {
    const redirectUri = this.#parts.callbackUrl()
    if (this.#auth.type !== 'oauth' || redirectUri === undefined) return undefined
    const record = await this.#kept.reload()
    const { pending } = record
    const now = this.#parts.now()
    const isUsable = pending?.ticket !== undefined && pending.redirectUri === redirectUri
    if (isUsable && pending.expiresAt - now > FRESH_MS) return this.#linkTo(pending)
    const steps = await import('./oauth-steps.ts')
    const discovery = await steps.discover(this.#url, this.#fetch, this.#challenge)
    const server = await this.#trusted(await steps.authorizationServer(this.#url, discovery, this.#fetch))
    const scope = steps.scopeOf(this.#auth.scope, this.#challenge, discovery)
    const client =
      this.#configuredClient(server.issuer, redirectUri) ??
      (record.client?.issuer === server.issuer && record.client.redirectUri === redirectUri
        ? record.client
        : undefined) ??
      (await steps.register(server, redirectUri, scope))
    const state = `${idText(this.server.id)}.${randomBytes(32).toString('base64url')}`
    const { url, codeVerifier } = await steps.startLogin(server, client, { state, scope })
    checkScheme(url, new URL(this.#url))
    const opened = {
      ticket: randomBytes(32).toString('base64url'),
      stateHash: records.secretHashOf(state),
      codeVerifier,
      redirectUri,
      url: url.href,
      expiresAt: now + PENDING_MS,
    }
    await this.#kept.change((latest) => ({ ...latest, discovery, client, pending: opened }))
    return this.#linkTo(opened)
  }

  #linkTo({ ticket, redirectUri }: records.PendingLogin): string {
    const link = new URL(BEGIN_PATH, redirectUri)
    link.searchParams.set('login', `${idText(this.server.id)}.${ticket}`)
    return link.href
  }

  /** If an authorization server is configured, the configured secrets go to it only. */
  async #trusted(server: AuthorizationServer): Promise<AuthorizationServer> {
    const { issuer } = this.#auth
    if (issuer !== undefined && new URL(issuer).href !== new URL(server.issuer).href) {
      throw new LoginFailure('it names another authorization server than auth.issuer')
    }
    return server
  }

  #configuredClient(issuer: string, redirectUri: string): records.RegisteredClient | undefined {
    const { clientId, clientSecret } = this.#auth
    if (clientId === undefined) return undefined
    return { issuer, redirectUri, clientId, ...(clientSecret !== undefined && { clientSecret }) }
  }

  async #attempt(work: () => Promise<string | undefined>): Promise<string | undefined> {
    try {
      return await work()
    } catch (error) {
      const { oauthCodeOf } = await import('./oauth-steps.ts')
      this.#trouble = reasonOf(error, oauthCodeOf(error))
      return undefined
    }
  }
}

/** The id of a server as the first part of a state or a link. */
function idText(serverId: string): string {
  return Buffer.from(serverId).toString('base64url')
}

/** Compares in constant time. */
function isSame(a: string, b: string): boolean {
  return records.isSameHash(records.secretHashOf(a), records.secretHashOf(b))
}

function headerOf({ access_token }: records.KeptTokens): string {
  return `Bearer ${access_token}`
}

function known<T>(client: T | undefined): T {
  if (client === undefined) throw new LoginFailure('its login has no client any more; log in again')
  return client
}

function refusalOf(error: string | null): string {
  if (error === 'access_denied') return 'the login was refused'
  const code = error !== null && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : ''
  return `its authorization server did not let the login through${code}`
}

/** Contains no text of the authorization server, which could put a token into its error. */
function reasonOf(error: unknown, oauthCode: string | undefined): string {
  if (error instanceof LoginFailure || error instanceof ForbiddenAddress) return error.message
  if (oauthCode !== undefined) return `its authorization server refused (${oauthCode})`
  return 'its authorization server cannot be used now'
}
