import { isIP } from 'node:net'
import { isLocal, isRepeated } from '@tooldex/http-kit/server'
import { GatewayError } from '../../errors.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import type { FailedAttempts } from '../../model/shared-limits.ts'
import { header, type RequestHead } from '../mcp/http-exchange.ts'

/** The names of this machine for itself. */
const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Normalises host names as a browser writes them, without ports. */
export function namesOf(declared: readonly string[]): ReadonlySet<string> {
  const asCompared = (name: string): string => (isIP(name) === 6 ? `[${name}]` : (hostName(name) ?? name)).toLowerCase()
  return new Set([...LOOPBACK_NAMES, ...declared].map(asCompared))
}

/** The principal of requests without authentication. */
export const ANONYMOUS: Principal = { tokenId: 'anonymous', name: 'anonymous', readOnly: false }

/** The caller of a request, and the endpoint that it calls. */
export interface Admitted {
  readonly principal: Principal
  readonly endpoint: Endpoint
}

/** Authenticates tokens and finds endpoints. */
export interface Access {
  /** Synchronous for local tokens. @throws GatewayError TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED, ISSUER_UNAVAILABLE */
  authenticate(authorization: string | undefined): Principal | Promise<Principal>
  /** The endpoint, if it exists and the principal may use it. */
  endpoint(id: string, principal: Principal): Endpoint | undefined
}

/**
 * Refuses requests that a web page could make a browser send: to a foreign name that resolves to this machine, or from a
 * foreign origin. Refuses two identities in one request.
 * @throws GatewayError REQUEST_FORBIDDEN, REQUEST_INVALID
 */
export function checkSource(req: RequestHead, names: ReadonlySet<string>): void {
  const host = hostName(onlyHost(req))
  if (req.url?.startsWith('/') !== true || host === undefined || !names.has(host)) {
    throw new GatewayError('REQUEST_FORBIDDEN', {
      reason: 'the Host header names a machine that is not this gateway',
      remedy: `Use one of ${[...names].join(', ')}, or add the name to the allowed hosts`,
    })
  }
  const { origin } = req.headers
  if (origin !== undefined && !isAllowedOrigin(origin, names)) {
    throw new GatewayError('REQUEST_FORBIDDEN', {
      reason: 'web pages of this origin may not call the gateway',
      remedy: 'Add the name to the allowed hosts if they should',
    })
  }
  if (isRepeated(req, 'authorization')) {
    throw new GatewayError('REQUEST_INVALID', {
      reason: 'it has two Authorization headers',
      remedy: 'Send one token; a proxy in front of the gateway must replace the header, not add a second one',
    })
  }
}

/**
 * Authenticates the caller and finds the endpoint. Without a valid token, existing and missing endpoints look the same.
 * Synchronous for local tokens.
 * @param refusedToken counts a wrong token. Expired ones are not counted: they were valid, and their clients need a 401 to renew them
 * @throws GatewayError TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED, TOO_MANY_ATTEMPTS, REQUEST_INVALID, ENDPOINT_NOT_FOUND
 */
export function admit(
  req: RequestHead,
  endpointId: string,
  access: Access,
  refusedToken: () => void | Promise<void>,
): Admitted | Promise<Admitted> {
  refuseTokenInUrl(req.url ?? '')
  const authorization = header(req, 'authorization')
  if (authorization === undefined && isLocal(req)) {
    const endpoint = access.endpoint(endpointId, ANONYMOUS)
    if (endpoint?.auth === 'none') return { principal: ANONYMOUS, endpoint }
  }
  const principal = authenticated(authorization, access, refusedToken)
  return principal instanceof Promise
    ? principal.then((proven) => atEndpoint(endpointId, proven, access))
    : atEndpoint(endpointId, principal, access)
}

function atEndpoint(endpointId: string, principal: Principal, access: Access): Admitted {
  const endpoint = access.endpoint(endpointId, principal)
  if (endpoint === undefined) {
    throw new GatewayError('ENDPOINT_NOT_FOUND', { endpoint: endpointId, remedy: 'Check the path of the URL' })
  }
  return { principal, endpoint }
}

function authenticated(
  authorization: string | undefined,
  access: Access,
  refusedToken: () => void | Promise<void>,
): Principal | Promise<Principal> {
  const refused = (error: unknown): Promise<never> => {
    const isWrong = error instanceof GatewayError && error.code === 'TOKEN_INVALID'
    const counted = isWrong ? refusedToken() : undefined
    if (counted === undefined) throw error
    return counted.then(() => {
      throw error
    })
  }
  try {
    const principal = access.authenticate(authorization)
    return principal instanceof Promise ? principal.catch(refused) : principal
  } catch (error) {
    return refused(error)
  }
}

/** URLs end up in histories, logs and referrers. */
function refuseTokenInUrl(url: string): void {
  const query = url.indexOf('?')
  if (query < 0) return
  const names = [...new URLSearchParams(url.slice(query)).keys()].map((name) => name.toLowerCase())
  if (!names.some((name) => name === 'token' || name === 'access_token' || name === 'api_key')) return
  throw new GatewayError('REQUEST_INVALID', {
    reason: 'a token was sent in the URL',
    remedy: 'Send it in a header instead, as Authorization: Bearer <token>, and replace the token: URLs are logged',
  })
}

/** A repeated Host header is refused: two readers could see two names. */
function onlyHost(req: RequestHead): string | undefined {
  return isRepeated(req, 'host') ? undefined : req.headers.host
}

const HOST_AND_PORT = /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i

function hostName(host: string | undefined): string | undefined {
  return host === undefined ? undefined : HOST_AND_PORT.exec(host)?.[1]?.toLowerCase()
}

function isAllowedOrigin(origin: string, names: ReadonlySet<string>): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, hostname } = new URL(origin)
  return (protocol === 'http:' || protocol === 'https:') && names.has(hostname)
}

const WINDOW_MS = 60_000
/** Wrong tokens of an address in a minute. */
export const MAX_FAILURES = 20
/** Addresses counted at a time. */
const MAX_ADDRESSES = 10_000

/** The error of a wrong token beyond the limit. */
export function tooManyAttempts(retryAfter: number): GatewayError {
  return new GatewayError('TOO_MANY_ATTEMPTS', { retryAfter, remedy: 'Wait a minute, then try with a valid token' })
}

/** Counts wrong tokens per address. Valid tokens are never counted, so that no client can lock out another. */
export class AttemptLimit implements FailedAttempts {
  readonly #now: () => number
  readonly #failures = new Map<string, { since: number; count: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts a wrong token. @throws GatewayError TOO_MANY_ATTEMPTS beyond the limit in a minute */
  failed(address: string): void {
    const now = this.#now()
    const known = this.#failures.get(address)
    const failures = known !== undefined && now - known.since < WINDOW_MS ? known : { since: now, count: 0 }
    failures.count += 1
    this.#failures.delete(address)
    this.#failures.set(address, failures)
    for (const oldest of this.#failures.keys()) {
      if (this.#failures.size <= MAX_ADDRESSES) break
      this.#failures.delete(oldest)
    }
    if (failures.count <= MAX_FAILURES) return
    throw tooManyAttempts(Math.ceil((failures.since + WINDOW_MS - now) / 1_000))
  }
}
