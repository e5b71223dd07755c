import type { JWTVerifyGetKey } from 'jose'
import type { JwtOptions } from '../options.ts'
import { ProblemError } from '../problem-error.ts'
import type { Caller } from './tokens.ts'

/** Only signatures that the issuer alone can make: no `none`, and no secret that we would share. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Checks signed tokens against the keys that their issuer publishes. */
export class JwtVerifier {
  readonly #options: JwtOptions
  readonly #now: () => number
  #keys: JWTVerifyGetKey | undefined

  constructor(options: JwtOptions, now: () => number) {
    this.#options = options
    this.#now = now
  }

  /**
   * Who holds this token; absent when it is not good.
   * @throws ProblemError PROJECT_FORBIDDEN when it names no project, UNAVAILABLE when the keys cannot be fetched
   */
  async find(token: string): Promise<Caller | undefined> {
    const { createRemoteJWKSet, errors, jwtVerify } = await import('jose')
    const { issuer, audience, jwksUrl, projectClaim = 'project' } = this.#options
    this.#keys ??= createRemoteJWKSet(new URL(jwksUrl))
    try {
      const currentDate = new Date(this.#now())
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp'],
        currentDate,
      })
      const project = payload[projectClaim]
      if (typeof project !== 'string' || project === '') throw withoutProject(projectClaim)
      return { id: `jwt:${payload.sub ?? ''}:${project}`, project }
    } catch (error) {
      if (error instanceof ProblemError) throw error
      if (error instanceof errors.JOSEError && !KEY_TROUBLES.has(error.code)) return undefined
      throw withoutKeys(error)
    }
  }
}

const KEY_TROUBLES: ReadonlySet<string> = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID'])

function withoutProject(claim: string): ProblemError {
  return new ProblemError('PROJECT_FORBIDDEN', `The token has no claim "${claim}" that names a project.`)
}

function withoutKeys(cause: unknown): ProblemError {
  return new ProblemError('UNAVAILABLE', 'The keys of the token’s issuer cannot be fetched now; try again later.', {
    headers: { 'retry-after': '5' },
    cause,
  })
}
