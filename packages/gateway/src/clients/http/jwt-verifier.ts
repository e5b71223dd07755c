import { createHash } from 'node:crypto'
import type { AuthConfig } from '@tooldex/contract'
import { JwtError, JwtVerifier as IssuerVerifier } from '@tooldex/http-kit/jwt'
import { LRUCache } from 'lru-cache'
import { jwtPrincipal } from '../../access/jwt-principal.ts'
import type { Principal } from '../../model/principal.ts'
import { GatewayError } from '../../errors.ts'

const LONGEST_JWT = 16_384
const MOST_REMEMBERED = 10_000
const PAUSE_MS = 10_000

/** What verifying needs. */
export interface JwtVerifierParts {
  readonly config: AuthConfig
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly fetch?: typeof fetch
}

/** Turns JWTs of the configured issuer into principals, and remembers each until it expires. */
export class JwtVerifier {
  readonly #parts: JwtVerifierParts
  readonly #issuer: IssuerVerifier
  /** By the hash of the JWT. */
  readonly #known = new LRUCache<string, Principal>({ max: MOST_REMEMBERED })

  constructor(parts: JwtVerifierParts) {
    this.#parts = parts
    this.#issuer = new IssuerVerifier({
      ...parts.config,
      now: parts.now,
      fetch: parts.fetch,
      requiredClaims: ['sub'],
      pauseMs: PAUSE_MS,
    })
  }

  /**
   * The principal of a JWT; synchronously where it is known.
   * @throws GatewayError TOKEN_INVALID, TOKEN_EXPIRED, ISSUER_UNAVAILABLE, SCOPE_INSUFFICIENT
   */
  verify(jwt: string): Principal | Promise<Principal> {
    if (jwt.length > LONGEST_JWT) throw invalid('it is too long')
    const hash = createHash('sha256').update(jwt).digest('base64url')
    const known = this.#known.get(hash)
    if (known === undefined) return this.#verify(jwt, hash)
    const tolerance = this.#parts.config.clockToleranceSeconds * 1_000
    if ((known.expiresAt ?? 0) + tolerance > this.#parts.now()) return known
    this.#known.delete(hash)
    throw expired()
  }

  async #verify(jwt: string, hash: string): Promise<Principal> {
    const { config } = this.#parts
    try {
      const principal = jwtPrincipal(await this.#issuer.verify(jwt), config)
      this.#known.set(hash, principal)
      return principal
    } catch (error) {
      if (!(error instanceof JwtError)) throw error
      if (error.kind === 'expired') throw expired()
      throw error.kind === 'invalid' ? invalid(error.message) : unavailable(config, error.message)
    }
  }
}

function invalid(reason: string): GatewayError {
  return new GatewayError('TOKEN_INVALID', { reason, remedy: 'Ask the identity provider for a new one' })
}

function expired(): GatewayError {
  return new GatewayError('TOKEN_EXPIRED', { remedy: 'Ask the identity provider for a new one' })
}

function unavailable({ issuer }: AuthConfig, reason: string): GatewayError {
  return new GatewayError('ISSUER_UNAVAILABLE', {
    issuer,
    reason,
    remedy: 'Try again later; tokens of the gateway itself work meanwhile',
    retryAfter: PAUSE_MS / 1_000,
  })
}
