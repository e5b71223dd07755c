import type { AdminSession } from '@tooldex/contract/admin'
import { hashToken } from '../access/tokens.ts'
import { GatewayError } from '../errors.ts'
import type { AdminCaller } from './admin-caller.ts'
import { type AdminSessions, SESSION_COOKIE } from './admin-sessions.ts'
import type { StoredToken } from '../model/stored-state.ts'

const PATH = '/api/v1'

/** What a browser proves itself with. */
export type SignInProof = { readonly token: string } | { readonly code: string }

/**
 * The cookie for a proof, and who signed in.
 * @throws GatewayError TOKEN_INVALID
 */
export function signIn(
  proof: SignInProof,
  sessions: AdminSessions,
  { tokens, headers, now }: { tokens: readonly StoredToken[]; headers: Headers; now: number },
): { readonly session: AdminSession; readonly cookie: string } {
  const ticket =
    'code' in proof ? sessions.ticketForCode(proof.code) : ticketForSecret(proof.token, tokens, sessions, now)
  const caller = ticket === undefined ? undefined : sessions.callerOf(ticket)
  if (ticket === undefined || caller === undefined) {
    throw new GatewayError('TOKEN_INVALID', {
      reason:
        'code' in proof ? 'the code was used, or is older than ten minutes' : 'it is no admin token of this gateway',
      remedy: 'code' in proof ? 'Ask for a new one, or use an admin token' : 'Use an admin token',
    })
  }
  const seconds = Math.max(1, Math.floor(((caller.expiresAt ?? now) - now) / 1_000))
  return { session: sessionOf(caller), cookie: `${cookieWith(ticket, headers)}; Max-Age=${seconds}` }
}

/** The cookie that takes the place of the session's, and is gone at once. */
export function endedCookie(headers: Headers): string {
  return `${cookieWith('', headers)}; Max-Age=0`
}

/** Who is signed in, as the API shows it. */
export function sessionOf({ name, expiresAt, via }: AdminCaller): AdminSession {
  return { name, via, ...(expiresAt !== undefined && { expiresAt }) }
}

function ticketForSecret(
  secret: string,
  tokens: readonly StoredToken[],
  sessions: AdminSessions,
  now: number,
): string | undefined {
  const hash = hashToken(secret)
  const token = tokens.find((each) => each.kind === 'admin' && each.hash === hash)
  if (token === undefined || (token.expiresAt !== undefined && token.expiresAt <= now)) return undefined
  return sessions.ticketForToken(token)
}

/** Pages that were loaded over TLS, if need be through a proxy, get a cookie that is sent over TLS only. */
function cookieWith(value: string, headers: Headers): string {
  const secure = headers.get('origin')?.startsWith('https:') === true ? '; Secure' : ''
  return `${SESSION_COOKIE}=${value}; Path=${PATH}; HttpOnly; SameSite=Strict${secure}`
}
