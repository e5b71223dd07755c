import type { Fetch } from '../http/guarded-fetch.ts'

/** What a server is shown of who we are. */
export interface Credentials {
  /** The value of the Authorization header now, at once where it is known; absent while nobody is logged in. */
  authorization(): string | undefined | Promise<string | undefined>
  /**
   * The server answered 401.
   * @param used what it was shown
   * @param challenge its WWW-Authenticate header
   * @returns what to show it instead, once; absent where a person has to log in first
   */
  refused(used: string | undefined, challenge: string): Promise<string | undefined>
}

/** A fetch that shows our credentials to the server's own origin, and to nobody else. */
export function withCredentials(base: Fetch, serverUrl: string, credentials: Credentials | undefined): Fetch {
  if (credentials === undefined) return base
  const { origin } = new URL(serverUrl)
  return async (url, init = {}) => {
    if (new URL(url).origin !== origin) return base(url, init)
    const used = await credentials.authorization()
    const response = await base(url, authorized(init, used))
    if (response.status !== 401) return response
    const next = await credentials.refused(used, response.headers.get('www-authenticate') ?? '')
    if (next === undefined) return response
    await response.text().catch(() => '')
    return base(url, authorized(init, next))
  }
}

function authorized(init: RequestInit, authorization: string | undefined): RequestInit {
  if (authorization === undefined) return init
  const headers = new Headers(init.headers)
  headers.set('authorization', authorization)
  return { ...init, headers }
}
