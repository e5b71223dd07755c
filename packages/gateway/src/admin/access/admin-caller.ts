import { type AdminRole, type AdminRouteId, mayUse, roleNeeded } from '@tooldex/contract/admin'
import { cleanText } from '@tooldex/http-kit/clean-text'
import { GatewayError } from '../../errors.ts'
import type { AuditedClient } from '../../model/audit.ts'
import { LOCAL_TOKEN_ID } from '../../model/principal.ts'
import type { StoredToken } from '../../model/stored-state.ts'

/** An authenticated user of the admin API. */
export interface AdminCaller {
  /** The id of the admin token; `local` for the commands of this program on the same machine. */
  readonly tokenId: string
  readonly name: string
  /** The current role of the token. */
  readonly role: AdminRole
  readonly via: 'token' | 'session' | 'local'
  /** Whether the caller has just proven its identity: with a token in this request, or by a sign-in of the last minutes. */
  readonly isFresh: boolean
  /** Whether the request comes from this machine and through no proxy. */
  readonly isLocal?: boolean
  /** When the session expires, in epoch milliseconds; absent without a session. */
  readonly expiresAt?: number
}

/** The owner of the data folder on this machine, with all rights. */
export const LOCAL_ADMIN: AdminCaller = Object.freeze({
  tokenId: LOCAL_TOKEN_ID,
  name: 'local',
  role: 'administrator',
  via: 'local',
  isFresh: true,
  isLocal: true,
})

/** The role of an admin token. */
export function roleOf({ role }: Pick<StoredToken, 'role'>): AdminRole {
  return role ?? 'administrator'
}

/** Refuses an operation that needs another role. @throws GatewayError ROLE_REQUIRED */
export function requireRole({ role }: Pick<AdminCaller, 'role'>, id: AdminRouteId): void {
  if (mayUse(role, id)) return
  const needed = roleNeeded(id)
  throw new GatewayError('ROLE_REQUIRED', {
    reason: `${id} needs the role ${needed}, and this token has the role ${role}`,
    remedy: `Use a token with the role ${needed}, or ask an administrator for it`,
    role,
    needed,
  })
}

/** The program behind a request to the admin API. */
export function auditedAdmin({ via }: AdminCaller, headers: Headers, version: string): AuditedClient {
  if (via === 'session') return { transport: 'console', clientName: 'Tooldex console', clientVersion: version }
  if (via === 'local') return { transport: 'command-line', clientName: 'tooldex', clientVersion: version }
  const [name = '', clientVersion] =
    cleanText(headers.get('user-agent') ?? '', 100)
      .split(' ', 1)[0]
      ?.split('/') ?? []
  return {
    transport: 'admin-api',
    ...(name !== '' && { clientName: name }),
    ...(clientVersion !== undefined && clientVersion !== '' && { clientVersion }),
  }
}
