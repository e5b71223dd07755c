import { createHash, randomBytes } from 'node:crypto'
import { GatewayError } from '../errors.ts'
import type { GatewayModel } from '../model/gateway-model.ts'
import type { Principal } from '../model/principal.ts'

/** Prefixes of secrets, so that people and secret scanners recognise them and their kind. */
const TOKEN_PREFIX = { client: 'tdx_', admin: 'tdxa_' } as const

const RANDOM_BYTES = 32
/** Longer secrets are not ours and are not hashed. */
const LONGEST_SECRET = 512

type TokenTable = { readonly tokens: Pick<GatewayModel['tokens'], 'get'> }

/** A new secret of 256 random bits. It is shown once; only its hash is stored. */
export function createToken(kind: keyof typeof TOKEN_PREFIX = 'client'): {
  readonly secret: string
  readonly hash: string
} {
  const secret = TOKEN_PREFIX[kind] + randomBytes(RANDOM_BYTES).toString('base64url')
  return { secret, hash: hashToken(secret) }
}

/** The SHA-256 of a secret in hex, which is stored and looked up. */
export function hashToken(secret: string): string {
  return createHash('sha256').update(secret, 'utf8').digest('hex')
}

/** Whether a token has expired. @param now epoch milliseconds */
export function hasExpired({ expiresAt }: Pick<Principal, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now
}

/**
 * A clock for everything that expires, in epoch milliseconds. It never goes back while the process runs: an expired token
 * or session stays expired when the system's time is set back, and others expire as if it had not been.
 */
export function forwardClock(
  systemTime: () => number = Date.now,
  elapsed: () => number = () => performance.now(),
): () => number {
  let [time, at] = [systemTime(), elapsed()]
  return () => {
    const now = elapsed()
    time = Math.max(systemTime(), time + now - at)
    at = now
    // Whole milliseconds, as stores and the admin API have them.
    return Math.floor(time)
  }
}

/**
 * The rights that two tokens share. The identity is that of the second, which the caller showed for this request.
 */
export function sharedRights(own: Principal, shown: Principal): Principal {
  if (own === shown) return own
  const projects = intersection(own.projects, shown.projects)
  const servers = intersection(own.servers, shown.servers)
  const tools = intersection(own.tools, shown.tools)
  const expiresAt = Math.min(own.expiresAt ?? Number.POSITIVE_INFINITY, shown.expiresAt ?? Number.POSITIVE_INFINITY)
  return Object.freeze({
    tokenId: shown.tokenId,
    name: shown.name,
    readOnly: own.readOnly || shown.readOnly,
    ...(projects !== undefined && { projects }),
    ...(servers !== undefined && { servers }),
    ...(tools !== undefined && { tools }),
    ...(Number.isFinite(expiresAt) && { expiresAt }),
  })
}

/** `sharedRights` with one object for the same two principals, because views are cached by it. */
export class SharedRights {
  readonly #known = new WeakMap<Principal, WeakMap<Principal, Principal>>()

  of(own: Principal, shown: Principal): Principal {
    const ofOwn = this.#known.get(own) ?? new WeakMap<Principal, Principal>()
    const shared = ofOwn.get(shown) ?? sharedRights(own, shown)
    this.#known.set(own, ofOwn.set(shown, shared))
    return shared
  }
}

/** Absent means all. */
function intersection(
  one: ReadonlySet<string> | undefined,
  other: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return new Set([...one].filter((each) => other.has(each)))
}

/**
 * The principal of a request, by its `Authorization` header only.
 * @param now epoch milliseconds
 * @throws GatewayError TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED
 */
export function authenticate(authorizationHeader: string | undefined, model: TokenTable, now: number): Principal {
  const secret = /^Bearer +(\S+) *$/i.exec(authorizationHeader ?? '')?.[1]
  if (secret === undefined) {
    throw new GatewayError('TOKEN_MISSING', { remedy: 'Send it in the header "Authorization: Bearer <token>"' })
  }
  return authenticateSecret(secret, model, now)
}

/** The scheme with which `tooldex stdio` sends a request to the gateway that it joined, narrowed by a second token. */
const NARROWED = 'Tooldex-Narrowed'
const NARROWED_HEADER = new RegExp(`^${NARROWED} (\\S+) (\\S+) (\\S+)$`)

/** The secrets of a narrowed request. */
export interface NarrowedSecrets {
  /** The secret of the run record: it proves that the sender may read the gateway's data folder. */
  readonly owner: string
  /** The token of the connection, and the one that the client showed with the request. */
  readonly own: string
  readonly shown: string
}

/** Whether a secret can stand in a header. */
export function fitsHeader(secret: string): boolean {
  return /^[\x21-\x7e]{1,8192}$/.test(secret)
}

/** The `Authorization` header of a narrowed request. Older gateways know no such scheme and refuse it. */
export function narrowedAuthorization({ owner, own, shown }: NarrowedSecrets): string {
  return `${NARROWED} ${owner} ${own} ${shown}`
}

/** The secrets in the `Authorization` header of a narrowed request; undefined in all others. */
export function narrowedSecrets(authorizationHeader: string | undefined): NarrowedSecrets | undefined {
  const [, owner, own, shown] = NARROWED_HEADER.exec(authorizationHeader ?? '') ?? []
  return owner === undefined || own === undefined || shown === undefined ? undefined : { owner, own, shown }
}

/**
 * The principal of a secret that did not come by header, such as over stdio from the environment. The lookup by hash is
 * safe against timing attacks, because an attacker cannot choose the compared hashes.
 * @param now epoch milliseconds
 * @throws GatewayError TOKEN_INVALID, TOKEN_EXPIRED
 */
export function authenticateSecret(secret: string, model: TokenTable, now: number): Principal {
  const principal = secret.length > LONGEST_SECRET ? undefined : model.tokens.get(hashToken(secret))
  if (principal === undefined) {
    const isAdmin = secret.startsWith(TOKEN_PREFIX.admin)
    throw new GatewayError('TOKEN_INVALID', {
      reason: isAdmin ? 'admin tokens open the admin API and no endpoint' : 'it is unknown or was revoked',
      remedy: isAdmin ? 'Create a client token' : 'Ask for a new one',
    })
  }
  if (hasExpired(principal, now)) {
    throw new GatewayError('TOKEN_EXPIRED', { remedy: 'Ask for a new one' })
  }
  return principal
}
