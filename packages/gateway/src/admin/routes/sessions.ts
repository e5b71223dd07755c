import type { AdminSession } from '@tooldex/contract/admin'
import { hashToken } from '../../access/tokens.ts'
import { GatewayError } from '../../errors.ts'
import type { StoredToken } from '../../model/stored-state.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
import { type AdminSessions, SESSION_COOKIE, ticketIn } from '../access/admin-sessions.ts'
import { type AdminContext, type Handlers, notRunning } from './admin-context.ts'

/** Routes about browser sessions. */
export function sessionHandlers({ parts }: AdminContext) {
  const { sessions, store } = parts
  return {
    signIn: ({ body, request: { headers } }) => {
      const { tokens } = store.current()
      const { session, cookie } = signIn(body, sessions, { tokens, headers, now: parts.now() })
      return Response.json(session, { headers: { 'set-cookie': cookie } })
    },
    getSession: ({ caller }) => sessionOf(caller),
    signOut: ({ request: { headers } }) => {
      const ticket = ticketIn(headers.get('cookie'))
      if (ticket !== undefined) sessions.end(ticket)
      return new Response(null, { status: 204, headers: { 'set-cookie': endedCookie(headers) } })
    },
    createSignInCode: () => {
      // Only the process that created a code accepts it.
      if (parts.live === undefined) throw notRunning()
      return { ...sessions.createCode() }
    },
  } satisfies Partial<Handlers>
}

const PATH = '/api/v1'

/** The credentials of a sign-in. */
type Credentials = { readonly token: string } | { readonly code: string }

/**
 * Signs a browser in and returns the session with its cookie.
 * @throws GatewayError TOKEN_INVALID
 */
function signIn(
  credentials: Credentials,
  sessions: AdminSessions,
  { tokens, headers, now }: { tokens: readonly StoredToken[]; headers: Headers; now: number },
): { readonly session: AdminSession; readonly cookie: string } {
  const ticket =
    'code' in credentials
      ? sessions.ticketForCode(credentials.code)
      : ticketForSecret(credentials.token, tokens, sessions, now)
  const caller = ticket === undefined ? undefined : sessions.callerOf(ticket)
  if (ticket === undefined || caller === undefined) {
    throw new GatewayError('TOKEN_INVALID', {
      reason:
        'code' in credentials
          ? 'the code was already used or is older than ten minutes'
          : 'it is not an admin token of this gateway',
      remedy: 'code' in credentials ? 'Ask for a new one, or use an admin token' : 'Use an admin token',
    })
  }
  const seconds = Math.max(1, Math.floor(((caller.expiresAt ?? now) - now) / 1_000))
  return { session: sessionOf(caller), cookie: `${cookieWith(ticket, headers)}; Max-Age=${seconds}` }
}

/** A cookie that removes the session cookie from the browser. */
function endedCookie(headers: Headers): string {
  return `${cookieWith('', headers)}; Max-Age=0`
}

/** A session as the API shows it. */
function sessionOf({ name, expiresAt, via }: AdminCaller): AdminSession {
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

/** A page loaded over TLS, also through a proxy, gets a cookie that the browser sends over TLS only. */
function cookieWith(value: string, headers: Headers): string {
  const secure = headers.get('origin')?.startsWith('https:') === true ? '; Secure' : ''
  return `${SESSION_COOKIE}=${value}; Path=${PATH}; HttpOnly; SameSite=Strict${secure}`
}
