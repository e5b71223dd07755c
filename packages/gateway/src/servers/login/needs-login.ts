import { GatewayError } from '../../errors.ts'
import type { ServerLabel } from '../protocol/server-failure.ts'
import type { ServerLogins } from './server-logins.ts'

/** The failure of a server that needs a login, with the page on which a person can do that, or why there is none. */
export function withLink(
  failure: GatewayError,
  { id, name }: ServerLabel,
  logins: Pick<ServerLogins, 'linkOf' | 'troubleOf'> | undefined,
): GatewayError {
  const loginUrl = logins?.linkOf(id)
  const trouble = logins?.troubleOf(id)
  if (loginUrl === undefined && trouble === undefined) return failure
  return new GatewayError(
    failure.code,
    {
      ...failure.details,
      ...(trouble !== undefined && { reason: `"${name}" cannot be used: ${trouble}` }),
      ...(loginUrl !== undefined && { loginUrl, remedy: `Log in at ${loginUrl}` }),
    },
    { cause: failure },
  )
}
