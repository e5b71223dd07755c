import type { JWTPayload, JWTVerifyGetKey } from 'jose'

const FETCH_MS = 5_000
const COOLDOWN_MS = 10_000
const METADATA_PATHS = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'] as const
/** Only signatures that the issuer alone can make: no `none`, and no shared secret. */
const ASYMMETRIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Which JWTs are accepted. */
export interface JwtVerifierOptions {
  readonly issuer: string
  readonly audience: string | string[]
  /** Where the issuer publishes its keys. Found through the issuer's metadata if absent. */
  readonly jwksUri?: string | undefined
  /** Default: all asymmetric ones. */
  readonly algorithms?: string[]
  /** Default 0. */
  readonly clockToleranceSeconds?: number
  /** Beside `exp`. */
  readonly requiredClaims?: readonly string[]
  /** How long no request is made to an issuer that could not be reached. Default 10,000. */
  readonly pauseMs?: number
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly fetch?: typeof fetch | undefined
}

/** A JWT that is not accepted: `invalid`, `expired` if it was valid before, or `unavailable` while the issuer's keys cannot be fetched. */
export class JwtError extends Error {
  override readonly name = 'JwtError'
  readonly kind: 'invalid' | 'expired' | 'unavailable'

  constructor(kind: JwtError['kind'], reason: string, options: ErrorOptions = {}) {
    super(reason, options)
    this.kind = kind
  }
}

/**
 * Verifies JWTs of an external issuer: signature, issuer, audience, times, algorithm. Fetches the issuer's keys at the
 * first JWT and keeps them.
 */
export class JwtVerifier {
  readonly #options: JwtVerifierOptions
  #keys: Promise<JWTVerifyGetKey> | undefined
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(options: JwtVerifierOptions) {
    this.#options = options
  }

  /** The claims of a valid JWT. @throws JwtError */
  async verify(jwt: string): Promise<JWTPayload> {
    const { issuer, audience, algorithms = ASYMMETRIC, requiredClaims = [], now } = this.#options
    try {
      const [jose, keys] = await Promise.all([import('jose'), this.#loadKeys()])
      const { payload } = await jose.jwtVerify(jwt, keys, {
        issuer,
        audience,
        algorithms,
        clockTolerance: this.#options.clockToleranceSeconds ?? 0,
        currentDate: new Date(now()),
        requiredClaims: ['exp', ...requiredClaims],
      })
      return payload
    } catch (error) {
      throw error instanceof JwtError ? error : this.#asJwtError(error)
    }
  }

  /** Concurrent callers share one lookup; a failed one is repeated. */
  #loadKeys(): Promise<JWTVerifyGetKey> {
    if (this.#keys !== undefined) return this.#keys
    const loading = this.#findKeys()
    this.#keys = loading
    loading.catch(() => (this.#keys = undefined))
    return loading
  }

  async #findKeys(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose')
    const url = this.#options.jwksUri ?? (await this.#discoverJwksUri())
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: FETCH_MS,
      cooldownDuration: COOLDOWN_MS,
      [customFetch]: (...args: Parameters<typeof fetch>) => this.#fetch(...args),
    })
  }

  async #discoverJwksUri(): Promise<string> {
    const { issuer: wanted } = this.#options
    const base = wanted.replace(/\/$/, '')
    for (const path of METADATA_PATHS) {
      const response = await this.#fetch(base + path, { signal: AbortSignal.timeout(FETCH_MS), redirect: 'error' })
      const found: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
      const { issuer, jwks_uri: jwksUri } = (found ?? {}) as { issuer?: unknown; jwks_uri?: unknown }
      // Metadata of another issuer would vouch for foreign keys.
      if (issuer === wanted && typeof jwksUri === 'string' && URL.canParse(jwksUri)) return jwksUri
    }
    throw this.#unavailable()
  }

  /** Keys that are known stay in use while this fails. @throws JwtError unavailable */
  async #fetch(...args: Parameters<typeof fetch>): Promise<Response> {
    const { fetch: send = fetch, now, pauseMs = 10_000 } = this.#options
    if (now() - this.#failedAt < pauseMs) throw unavailable(this.#options)
    let cause: unknown
    const response = await send(...args).catch((error: unknown) => void (cause = error))
    if (response === undefined || response.status >= 500) throw this.#unavailable(cause)
    return response
  }

  #unavailable(cause?: unknown): JwtError {
    this.#failedAt = this.#options.now()
    return unavailable(this.#options, cause)
  }

  /** A malformed JWT must never count as a failure of the issuer. */
  #asJwtError(error: unknown): JwtError {
    const { code, claim } = error as { code?: unknown; claim?: unknown }
    switch (code) {
      case 'ERR_JWKS_TIMEOUT':
      case 'ERR_JWKS_INVALID':
      case 'ERR_JOSE_GENERIC':
        return this.#unavailable(error)
      case 'ERR_JWT_EXPIRED':
        return new JwtError('expired', 'it has expired')
      case 'ERR_JWT_CLAIM_VALIDATION_FAILED':
        return invalid(`its ${String(claim)} is not the expected one`)
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

function invalid(reason: string): JwtError {
  return new JwtError('invalid', reason)
}

function unavailable({ issuer }: JwtVerifierOptions, cause?: unknown): JwtError {
  return new JwtError('unavailable', `the keys of ${issuer} cannot be fetched`, cause === undefined ? {} : { cause })
}
