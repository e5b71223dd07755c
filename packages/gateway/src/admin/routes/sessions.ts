import type { AdminSession } from '@tooldex/contract/admin'
import { GatewayError } from '../../errors.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
import { type AdminSessions, type NewSession, SESSION_COOKIE, ticketIn } from '../access/admin-sessions.ts'
import { requireFreshProof } from '../access/fresh-proof.ts'
import { type AdminContext, type Handlers, notRunning } from './admin-context.ts'

/** Routes about browser sessions. */
export function sessionHandlers({ parts }: AdminContext) {
  const { sessions } = parts
  return {
    signIn: ({ body, request: { headers } }) => {
      const { ticket, pageSecret, caller } = signIn(body, sessions)
      const seconds = Math.max(1, Math.floor(((caller.expiresAt ?? 0) - parts.now()) / 1_000))
      const cookie = `${cookieWith(ticket, headers)}; Max-Age=${seconds}`
      return Response.json({ ...sessionOf(caller), pageSecret }, { headers: { 'set-cookie': cookie } })
    },
    getSession: ({ caller }) => sessionOf(caller),
    signOut: async ({ request: { headers } }) => {
      const ticket = ticketIn(headers.get('cookie'))
      if (ticket !== undefined) await sessions.end(ticket)
      return new Response(null, { status: 204, headers: { 'set-cookie': endedCookie(headers) } })
    },
    createSignInCode: ({ caller }) => {
      requireFreshProof(caller, 'a one-time code begins a new session')
      // Only the process that created a code accepts it.
      if (parts.live === undefined) throw notRunning()
      return { ...sessions.createCode() }
    },
  } satisfies Partial<Handlers>
}

const PATH = '/api/v1'

/** The credentials of a sign-in. */
type Credentials = { readonly token: string } | { readonly code: string }

/** @throws GatewayError TOKEN_INVALID */
function signIn(credentials: Credentials, sessions: AdminSessions): NewSession {
  const isCode = 'code' in credentials
  const session = isCode ? sessions.beginWithCode(credentials.code) : sessions.beginWithToken(credentials.token)
  if (session !== undefined) return session
  throw new GatewayError('TOKEN_INVALID', {
    reason: isCode
      ? 'the code was already used or is older than ten minutes'
      : 'it is not an admin token of this gateway',
    remedy: isCode ? 'Ask for a new one, or use an admin token' : 'Use an admin token',
  })
}

/** A cookie that removes the session cookie from the browser. */
function endedCookie(headers: Headers): string {
  return `${cookieWith('', headers)}; Max-Age=0`
}

/** A session as the API shows it. */
function sessionOf({ name, role, expiresAt, via }: AdminCaller): AdminSession {
  return { name, role, via, ...(expiresAt !== undefined && { expiresAt }) }
}

/** A page loaded over TLS, also through a proxy, gets a cookie that the browser sends over TLS only. */
function cookieWith(value: string, headers: Headers): string {
  const secure = headers.get('origin')?.startsWith('https:') === true ? '; Secure' : ''
  return `${SESSION_COOKIE}=${value}; Path=${PATH}; HttpOnly; SameSite=Strict${secure}`
}
