import type { GatewayModel } from '../../model/gateway-model.ts'
import type { Principal } from '../../model/principal.ts'
import { ANONYMOUS } from '../http/guards.ts'

/**
 * Whether who opened a session or a stream may still do all that it could when it did. A token that was revoked, has
 * expired or may do less now ends what it had opened; what is opened anew has the rights of now. More rights end nothing.
 * @param now epoch milliseconds
 */
export function isStillValid(
  principal: Principal,
  { tokens, endpoints }: Pick<GatewayModel, 'tokens' | 'endpoints'>,
  now: number,
): boolean {
  if (principal.expiresAt !== undefined && principal.expiresAt <= now) return false
  if (principal === ANONYMOUS) return [...endpoints.values()].some(({ auth }) => auth === 'none')
  for (const current of tokens.values()) {
    if (current.tokenId !== principal.tokenId) continue
    const hasExpired = current.expiresAt !== undefined && current.expiresAt <= now
    return !hasExpired && mayAsMuch(current, principal)
  }
  return false
}

/** Whether a token may do now all that it could do before. */
export function mayAsMuch(current: Principal, before: Principal): boolean {
  if (current === before) return true
  if (current.readOnly && !before.readOnly) return false
  return includes(current.projects, before.projects) && includes(current.servers, before.servers)
}

/** Absent means all. */
function includes(current: ReadonlySet<string> | undefined, before: ReadonlySet<string> | undefined): boolean {
  return current === undefined || (before !== undefined && [...before].every((each) => current.has(each)))
}
