import type { AuthConfig } from '@tooldex/contract'
import type { Principal } from '../model/principal.ts'

type Claims = Readonly<Record<string, unknown>>

/** Prefix of the ids of JWT subjects; the ids of the gateway's own tokens never begin with it. */
const ID_PREFIX = 'jwt:'
const LONGEST_ID = 200

/**
 * The principal of a verified JWT. Its scopes or claims name its projects; a JWT that names none may use none.
 */
export function jwtPrincipal(claims: Claims, config: AuthConfig): Principal {
  const scopes = scopesIn(claims)
  const named = scopes
    .filter((scope) => scope.startsWith(config.scopePrefix) && scope.length > config.scopePrefix.length)
    .map((scope) => scope.slice(config.scopePrefix.length))
  const claimed = config.projectsClaim === undefined ? [] : texts(claims[config.projectsClaim])
  const subject = text(claims['sub']) ?? text(claims['client_id']) ?? text(claims['azp']) ?? 'unknown'
  const name = text(claims['name']) ?? text(claims['preferred_username']) ?? subject
  const expires = claims['exp']
  return Object.freeze({
    tokenId: `${ID_PREFIX}${subject}`.slice(0, LONGEST_ID),
    name: name.slice(0, LONGEST_ID),
    projects: new Set([...named, ...claimed]),
    readOnly: scopes.includes(config.readOnlyScope),
    ...(typeof expires === 'number' && { expiresAt: expires * 1_000 }),
  })
}

/** Whether a recorded token id belongs to a JWT subject. */
export function isJwtSubject(tokenId: string): boolean {
  return tokenId.startsWith(ID_PREFIX)
}

/** The subject of such an id. */
export function subjectOf(tokenId: string): string {
  return tokenId.slice(ID_PREFIX.length)
}

/** Whether a bearer secret looks like a JWT; the gateway's own tokens never do. */
export function looksLikeJwt(secret: string): boolean {
  return secret.startsWith('eyJ') && secret.split('.').length === 3
}

/** Scopes as a string (RFC 8693) or a list (some providers), under either name. */
function scopesIn(claims: Claims): readonly string[] {
  const scope = claims['scope'] ?? claims['scp']
  return typeof scope === 'string' ? scope.split(' ').filter((word) => word !== '') : texts(scope)
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
