import { cleanText } from '@tooldex/http-kit/clean-text'
import type { AuditedClient } from '../../model/audit.ts'
import { LOCAL_TOKEN_ID } from '../../model/principal.ts'

/** An authenticated user of the admin API. */
export interface AdminCaller {
  /** The id of the admin token; `local` for the commands of this program on the same machine. */
  readonly tokenId: string
  readonly name: string
  readonly via: 'token' | 'session' | 'local'
  /** Whether the caller has just proven its identity: with a token in this request, or by a sign-in of the last minutes. */
  readonly isFresh: boolean
  /** When the session expires, in epoch milliseconds; absent without a session. */
  readonly expiresAt?: number
}

/** The owner of the data folder on this machine, with all rights. */
export const LOCAL_ADMIN: AdminCaller = Object.freeze({
  tokenId: LOCAL_TOKEN_ID,
  name: 'local',
  via: 'local',
  isFresh: true,
})

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
