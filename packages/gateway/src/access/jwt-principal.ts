import type { AuthConfig } from '@tooldex/contract'
import { GatewayError } from '../errors.ts'
import type { Principal } from '../model/principal.ts'

type Claims = Readonly<Record<string, unknown>>

/** Prefix of the ids of JWT subjects; the ids of the gateway's own tokens never begin with it. */
const ID_PREFIX = 'jwt:'
const LONGEST_NAME = 200
/** Providers may use 255 characters. Longer ones than this would not fit into the indexes of the audit log. */
const LONGEST_SUBJECT_BYTES = 1_000

/**
 * The principal of a verified JWT. Its scopes or claims name its projects; a JWT that names none may use none. The whole
 * subject is its identity: two subjects never become one.
 * @throws GatewayError TOKEN_INVALID for a subject that is too long
 */
export function jwtPrincipal(claims: Claims, config: AuthConfig): Principal {
  const scopes = scopesIn(claims)
  const named = scopes
    .filter((scope) => scope.startsWith(config.scopePrefix) && scope.length > config.scopePrefix.length)
    .map((scope) => scope.slice(config.scopePrefix.length))
  const claimed = config.projectsClaim === undefined ? [] : texts(claims[config.projectsClaim])
  const subject = text(claims['sub']) ?? text(claims['client_id']) ?? text(claims['azp']) ?? 'unknown'
  if (Buffer.byteLength(subject) > LONGEST_SUBJECT_BYTES) {
    throw new GatewayError('TOKEN_INVALID', {
      reason: `its subject is longer than ${LONGEST_SUBJECT_BYTES} bytes`,
      remedy: 'Let the identity provider use a shorter one',
    })
  }
  const name = text(claims['name']) ?? text(claims['preferred_username']) ?? subject
  const expires = claims['exp']
  return Object.freeze({
    tokenId: `${ID_PREFIX}${subject}`,
    name: name.slice(0, LONGEST_NAME),
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
