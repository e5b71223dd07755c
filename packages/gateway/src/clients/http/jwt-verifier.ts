import { createHash } from 'node:crypto'
import type { AuthConfig } from '@tooldex/contract'
import type { JWTVerifyGetKey } from 'jose'
import { LRUCache } from 'lru-cache'
import { jwtPrincipal } from '../../access/jwt-principal.ts'
import type { Principal } from '../../model/principal.ts'
import { GatewayError } from '../../errors.ts'

const LONGEST_JWT = 16_384
const MOST_REMEMBERED = 10_000
const FETCH_MS = 5_000
/** How long a provider that could not be reached is left alone, so that nobody waits for it again and again. */
const PAUSE_MS = 10_000
const METADATA_PATHS = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'] as const

/** What verifying needs. */
export interface JwtVerifierParts {
  readonly config: AuthConfig
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly fetch?: typeof fetch
}

/**
 * Verifies JWTs of an external issuer: signature, issuer, audience, times, algorithm. Its keys are fetched when first needed
 * and kept; while they cannot be fetched, holders of JWTs hear so and nobody else is concerned.
 */
export class JwtVerifier {
  readonly #parts: JwtVerifierParts
  /** By hash: a JWT is verified once and then known until it expires. */
  readonly #known = new LRUCache<string, Principal>({ max: MOST_REMEMBERED })
  #keys: Promise<JWTVerifyGetKey> | undefined
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(parts: JwtVerifierParts) {
    this.#parts = parts
  }

  /**
   * Who a JWT proves; at once where it is known.
   * @throws GatewayError TOKEN_INVALID, ISSUER_UNAVAILABLE, SCOPE_INSUFFICIENT
   */
  verify(jwt: string): Principal | Promise<Principal> {
    if (jwt.length > LONGEST_JWT) throw invalid('it is too long')
    const hash = createHash('sha256').update(jwt).digest('base64url')
    const known = this.#known.get(hash)
    if (known === undefined) return this.#verify(jwt, hash)
    const tolerance = this.#parts.config.clockToleranceSeconds * 1_000
    if ((known.expiresAt ?? 0) + tolerance > this.#parts.now()) return known
    this.#known.delete(hash)
    throw invalid('it has expired')
  }

  async #verify(jwt: string, hash: string): Promise<Principal> {
    const { config, now } = this.#parts
    try {
      const [jose, keys] = await Promise.all([import('jose'), this.#loadKeys()])
      const { payload } = await jose.jwtVerify(jwt, keys, {
        issuer: config.issuer,
        audience: config.audience,
        algorithms: config.algorithms,
        clockTolerance: config.clockToleranceSeconds,
        currentDate: new Date(now()),
        requiredClaims: ['exp', 'sub'],
      })
      const principal = jwtPrincipal(payload, config)
      this.#known.set(hash, principal)
      return principal
    } catch (error) {
      throw this.#asGatewayError(error)
    }
  }

  /** One search for all who wait; a failed one is made again. */
  #loadKeys(): Promise<JWTVerifyGetKey> {
    if (this.#keys !== undefined) return this.#keys
    const loading = this.#findKeys()
    this.#keys = loading
    loading.catch(() => (this.#keys = undefined))
    return loading
  }

  async #findKeys(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose')
    const url = this.#parts.config.jwksUri ?? (await this.#discoverJwksUri())
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: FETCH_MS,
      cooldownDuration: PAUSE_MS,
      [customFetch]: (...args: Parameters<typeof fetch>) => this.#fetch(...args),
    })
  }

  async #discoverJwksUri(): Promise<string> {
    const { config } = this.#parts
    const base = config.issuer.replace(/\/$/, '')
    for (const path of METADATA_PATHS) {
      const response = await this.#fetch(base + path, { signal: AbortSignal.timeout(FETCH_MS), redirect: 'error' })
      const found: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
      const { issuer, jwks_uri: jwksUri } = (found ?? {}) as { issuer?: unknown; jwks_uri?: unknown }
      // Metadata of another issuer would vouch for somebody else's keys.
      if (issuer === config.issuer && typeof jwksUri === 'string' && URL.canParse(jwksUri)) return jwksUri
    }
    throw this.#unavailable()
  }

  /** Keys that are known stay in use whatever becomes of it. @throws GatewayError ISSUER_UNAVAILABLE */
  async #fetch(...args: Parameters<typeof fetch>): Promise<Response> {
    const { fetch: given = fetch, config, now } = this.#parts
    if (now() - this.#failedAt < PAUSE_MS) throw unavailable(config)
    const response = await given(...args).catch(() => undefined)
    if (response === undefined || response.status >= 500) throw this.#unavailable()
    return response
  }

  #unavailable(): GatewayError {
    this.#failedAt = this.#parts.now()
    return unavailable(this.#parts.config)
  }

  /** What a stranger sends must never be taken for a failure of the issuer. */
  #asGatewayError(error: unknown): GatewayError {
    if (error instanceof GatewayError) return error
    const { code, claim } = error as { code?: unknown; claim?: unknown }
    switch (code) {
      case 'ERR_JWKS_TIMEOUT':
      case 'ERR_JWKS_INVALID':
      case 'ERR_JOSE_GENERIC':
        return this.#unavailable()
      case 'ERR_JWT_EXPIRED':
        return invalid('it has expired')
      case 'ERR_JWT_CLAIM_VALIDATION_FAILED':
        return invalid(`its ${String(claim)} is not what this gateway expects`)
      case 'ERR_JWKS_NO_MATCHING_KEY':
      case 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED':
        return invalid('its signature is not the issuer’s')
      case 'ERR_JOSE_ALG_NOT_ALLOWED':
        return invalid('its algorithm is not allowed')
      default:
        return invalid('it is not a valid JWT')
    }
  }
}

function invalid(reason: string): GatewayError {
  return new GatewayError('TOKEN_INVALID', { reason, remedy: 'Ask the identity provider for a new one' })
}

function unavailable({ issuer }: AuthConfig): GatewayError {
  return new GatewayError('ISSUER_UNAVAILABLE', {
    issuer,
    reason: `the keys of ${issuer} cannot be fetched`,
    remedy: 'Try again later; tokens of the gateway itself work meanwhile',
    retryAfterSeconds: PAUSE_MS / 1_000,
  })
}
