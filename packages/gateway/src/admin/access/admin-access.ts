import { CHANGE_HEADER } from '@tooldex/contract'
import { hashToken } from '../../access/tokens.ts'
import { GatewayError } from '../../errors.ts'
import { type AdminCaller, LOCAL_ADMIN } from './admin-caller.ts'
import { type AdminSessions, ticketIn } from './admin-sessions.ts'
import type { StoredToken } from '../../model/stored-state.ts'

/** Where admin tokens are known. */
export interface AdminAccessParts {
  readonly tokens: () => readonly StoredToken[]
  /** The hash of the secret in the run record: the owner of the data folder, on this machine. */
  readonly localHash?: string
  /** Whether a hash is that of a client token: it is told apart from a wrong one. */
  readonly isClientToken: (hash: string) => boolean
  readonly sessions: AdminSessions
  readonly now: () => number
  readonly onUse?: (tokenId: string, at: number) => void
}

/** What proves who sends a request. */
type Sender = Pick<Request, 'method' | 'headers'>

/** Longer ones are not ours, and hashing them would be work for nothing. */
const LONGEST_SECRET = 512

/** Proves who uses the admin API: by an admin token in a header, or by a session cookie. */
export class AdminAccess {
  readonly #parts: AdminAccessParts

  constructor(parts: AdminAccessParts) {
    this.#parts = parts
  }

  /** @throws GatewayError TOKEN_MISSING, TOKEN_INVALID, ADMIN_REQUIRED, REQUEST_FORBIDDEN */
  callerOf(request: Sender): AdminCaller {
    const caller = this.#provenBy(request)
    if (caller.via === 'token') this.#parts.onUse?.(caller.tokenId, this.#parts.now())
    return caller
  }

  /** A foreign page must not sign a browser in either: what is done then would be done as somebody else. @throws GatewayError REQUEST_FORBIDDEN */
  checkSignIn({ headers }: Pick<Sender, 'headers'>): void {
    if (isFromElsewhere(headers)) throw foreignPage()
  }

  /** Whether a request that was let in would be let in now. Staying is no use of a token. */
  isStillGood(request: Sender): boolean {
    try {
      this.#provenBy(request)
      return true
    } catch {
      return false
    }
  }

  #provenBy({ method, headers }: Sender): AdminCaller {
    const authorization = headers.get('authorization')
    if (authorization !== null) {
      const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
      if (secret === undefined) throw missing()
      return this.#callerWith(secret)
    }
    const ticket = ticketIn(headers.get('cookie'))
    if (ticket === undefined) throw missing()
    refuseForeignPage(method, headers)
    const caller = this.#parts.sessions.callerOf(ticket)
    if (caller === undefined) {
      throw new GatewayError('TOKEN_INVALID', { reason: 'the session has ended', remedy: 'Sign in again' })
    }
    return caller
  }

  #callerWith(secret: string): AdminCaller {
    const { localHash, isClientToken } = this.#parts
    const hash = secret.length > LONGEST_SECRET ? '' : hashToken(secret)
    if (localHash !== undefined && hash === localHash) return LOCAL_ADMIN
    const token = this.#tokenWith(hash)
    if (token !== undefined) return { tokenId: token.id, name: token.name, via: 'token' }
    if (isClientToken(hash)) {
      throw new GatewayError('ADMIN_REQUIRED', {
        reason: 'client tokens open endpoints and not the admin API',
        remedy: 'Use an admin token; the first one was printed when the gateway was first started',
      })
    }
    throw new GatewayError('TOKEN_INVALID', {
      reason: 'it is unknown, expired or was revoked',
      remedy: 'Ask for a new one',
    })
  }

  /** The admin token with this hash, if it is good. */
  #tokenWith(hash: string): StoredToken | undefined {
    const now = this.#parts.now()
    return this.#parts
      .tokens()
      .find(
        (token) => token.kind === 'admin' && token.hash === hash && (token.expiresAt ?? Number.POSITIVE_INFINITY) > now,
      )
  }
}

/**
 * A browser sends the cookie along with whatever a page makes it send. Changes need a header that a foreign page cannot
 * add, and an origin that is this very gateway: another port of this machine is another page.
 * @throws GatewayError REQUEST_FORBIDDEN
 */
function refuseForeignPage(method: string, headers: Headers): void {
  const isReading = method === 'GET' || method === 'HEAD'
  const isProven = isReading || (headers.has('origin') && headers.has(CHANGE_HEADER))
  if (isFromElsewhere(headers) || !isProven) throw foreignPage()
}

/** Whether a browser says that the page is another one's. Programs say nothing of pages. */
function isFromElsewhere(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin' && site !== 'none') return true
  const origin = headers.get('origin')
  return origin !== null && !(URL.canParse(origin) && new URL(origin).host === headers.get('host'))
}

function foreignPage(): GatewayError {
  return new GatewayError('REQUEST_FORBIDDEN', {
    reason: 'with a session, requests come from the gateway’s own pages only',
    remedy: `Programs send an admin token instead; pages send the header ${CHANGE_HEADER} with changes`,
  })
}

function missing(): GatewayError {
  return new GatewayError('TOKEN_MISSING', {
    remedy: 'Send an admin token in the header "Authorization: Bearer <token>", or sign in',
  })
}
