import { PAGE_HEADER } from '@tooldex/contract'
import { hashToken, hasExpired } from '../../access/tokens.ts'
import { GatewayError } from '../../errors.ts'
import type { StoredToken } from '../../model/stored-state.ts'
import type { StoredTokens } from '../../model/stored-tokens.ts'
import { type AdminCaller, LOCAL_ADMIN, roleOf } from './admin-caller.ts'
import { type AdminSessions, ticketIn } from './admin-sessions.ts'

/** The dependencies of {@link AdminAccess}. */
export interface AdminAccessParts {
  readonly tokens: () => StoredTokens
  /** The hash of the secret in the run record, which only the owner of the data folder can read. */
  readonly localHash?: string
  /** Whether a hash belongs to a client token: the error then differs from the one for an unknown token. */
  readonly isClientToken: (hash: string) => boolean
  readonly sessions: AdminSessions
  readonly now: () => number
  readonly onUse?: (tokenId: string, at: number) => void
}

/** The parts of a request that authenticate its sender. */
type Sender = Pick<Request, 'method' | 'headers'>

/** No token is longer; hashing a longer text would be wasted work. */
const LONGEST_SECRET = 512

/** Authenticates requests to the admin API by an admin token in a header or by a session cookie. */
export class AdminAccess {
  readonly #parts: AdminAccessParts

  constructor(parts: AdminAccessParts) {
    this.#parts = parts
  }

  /** @throws GatewayError TOKEN_MISSING, TOKEN_INVALID, ADMIN_REQUIRED, REQUEST_FORBIDDEN */
  callerOf(request: Sender): AdminCaller {
    const caller = this.#authenticate(request)
    if (caller.via === 'token') this.#parts.onUse?.(caller.tokenId, this.#parts.now())
    return caller
  }

  /** Learns whether the session of a request was signed out elsewhere; to be awaited before `callerOf`. */
  async checkEnd({ headers }: Pick<Sender, 'headers'>): Promise<void> {
    const ticket = headers.has('authorization') ? undefined : ticketIn(headers.get('cookie'))
    if (ticket !== undefined) await this.#parts.sessions.checkEnd(ticket)
  }

  /**
   * Refuses a sign-in that another site started: the user would act under the account of an attacker.
   * @throws GatewayError REQUEST_FORBIDDEN
   */
  checkSignIn({ headers }: Pick<Sender, 'headers'>): void {
    if (isCrossSite(headers)) throw crossSiteError()
  }

  /** Whether a request would be accepted again now, with the same role. Does not count as a use of the token. */
  isStillValid(request: Sender, role: AdminCaller['role']): boolean {
    try {
      return this.#authenticate(request).role === role
    } catch {
      return false
    }
  }

  #authenticate({ method, headers }: Sender): AdminCaller {
    const authorization = headers.get('authorization')
    if (authorization !== null) {
      const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
      if (secret === undefined) throw missing()
      return this.#callerWith(secret)
    }
    const ticket = ticketIn(headers.get('cookie'))
    if (ticket === undefined) throw missing()
    refuseCrossSite(method, headers)
    const caller = this.#parts.sessions.callerOf(ticket, headers.get(PAGE_HEADER) ?? '')
    if (caller === undefined) {
      const reason = 'the session has ended, or began at another address'
      throw new GatewayError('TOKEN_INVALID', { reason, remedy: 'Sign in again' })
    }
    return caller
  }

  #callerWith(secret: string): AdminCaller {
    const { localHash, isClientToken } = this.#parts
    const hash = secret.length > LONGEST_SECRET ? '' : hashToken(secret)
    if (localHash !== undefined && hash === localHash) return LOCAL_ADMIN
    const token = this.#tokenWith(hash)
    if (token !== undefined) {
      return { tokenId: token.id, name: token.name, role: roleOf(token), via: 'token', isFresh: true }
    }
    if (isClientToken(hash)) {
      throw new GatewayError('ADMIN_REQUIRED', {
        reason: 'a client token is valid for endpoints, not for the admin API',
        remedy: 'Use an admin token; the gateway printed the first one at its first start',
      })
    }
    throw new GatewayError('TOKEN_INVALID', {
      reason: 'the token is unknown, expired or revoked',
      remedy: 'Ask for a new one',
    })
  }

  /** The admin token with this hash, unless it has expired. */
  #tokenWith(hash: string): StoredToken | undefined {
    const now = this.#parts.now()
    const token = this.#parts.tokens().withHash(hash)
    return token?.kind === 'admin' && !hasExpired(token, now) ? token : undefined
  }
}

/**
 * Protects against cross-site request forgery. A browser sends the cookie with every request, so a change needs a header
 * that another site cannot set, and this gateway as its origin: another port of this machine is another origin.
 * @throws GatewayError REQUEST_FORBIDDEN
 */
function refuseCrossSite(method: string, headers: Headers): void {
  const isReading = method === 'GET' || method === 'HEAD'
  const isProven = isReading || (headers.has('origin') && headers.has(PAGE_HEADER))
  if (isCrossSite(headers) || !isProven) throw crossSiteError()
}

/** Whether the headers of a browser name another site. Programs do not send these headers. */
function isCrossSite(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') return true
  const origin = headers.get('origin')
  return origin !== null && !(URL.canParse(origin) && new URL(origin).host === headers.get('host'))
}

function crossSiteError(): GatewayError {
  return new GatewayError('REQUEST_FORBIDDEN', {
    reason: 'a session is valid for requests from the pages of this gateway only',
    remedy: `From a program, send an admin token; from a page, send the page secret of the session in the header ${PAGE_HEADER}`,
  })
}

function missing(): GatewayError {
  return new GatewayError('TOKEN_MISSING', {
    remedy: 'Send an admin token in the header "Authorization: Bearer <token>", or sign in',
  })
}
