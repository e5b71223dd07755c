import { createHash } from 'node:crypto'
import { JwtError, JwtVerifier } from '@tooldex/http-kit/jwt'
import type { JwtOptions, SearchApiOptions, SearchApiToken } from '../options.ts'
import { ProblemError } from '../problem-error.ts'

/** Longer secrets are refused without being looked up. */
const LONGEST_SECRET = 8_192
/** How long an issuer that could not be reached is not asked again. */
const ISSUER_PAUSE_MS = 5_000

/** The holder of a token. */
export interface Caller {
  /** Distinguishes callers, for limits. Never the secret. */
  readonly id: string
  /** The project that it may search for; `*` = any. */
  readonly project: string
}

/** Authenticates callers by token or JWT; each token is for its own project only. */
export class Gate {
  /** By hash: lookups compare nothing that an attacker could choose, so that their duration reveals nothing. */
  readonly #tokens: ReadonlyMap<string, SearchApiToken>
  readonly #jwts: ProjectJwts | undefined
  readonly #now: () => number

  constructor({ tokens = [], jwt }: Pick<SearchApiOptions, 'tokens' | 'jwt'>, now: () => number) {
    this.#tokens = new Map(tokens.map((token) => [token.sha256.toLowerCase(), token]))
    this.#jwts = jwt === undefined ? undefined : new ProjectJwts(jwt, now)
    this.#now = now
  }

  /**
   * The caller, by the `Authorization` header alone.
   * @throws ProblemError TOKEN_MISSING, TOKEN_INVALID, PROJECT_FORBIDDEN, UNAVAILABLE
   */
  async admit(authorization: string | undefined): Promise<Caller> {
    const secret = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    if (secret === undefined) throw refused('TOKEN_MISSING', 'Send it in the header "Authorization: Bearer <token>".')
    const caller = secret.length > LONGEST_SECRET ? undefined : await this.#find(secret)
    if (caller === undefined) throw refused('TOKEN_INVALID', 'It is unknown, was revoked or has expired.')
    return caller
  }

  async #find(secret: string): Promise<Caller | undefined> {
    const hash = createHash('sha256').update(secret, 'utf8').digest('hex')
    const token = this.#tokens.get(hash)
    if (token !== undefined) {
      const hasExpired = token.expiresAt !== undefined && token.expiresAt <= this.#now()
      return hasExpired ? undefined : { id: `token:${hash}`, project: token.project }
    }
    return secret.split('.').length === 3 ? this.#jwts?.find(secret) : undefined
  }
}

/**
 * The project that a request is for.
 * @throws ProblemError PROJECT_FORBIDDEN when the token belongs to another
 */
export function projectOf(caller: Caller, projectId: string | undefined): string {
  if (caller.project === '*') return projectId ?? '*'
  if (projectId === undefined || projectId === caller.project) return caller.project
  throw new ProblemError('PROJECT_FORBIDDEN', 'projectId is not the project that the token belongs to.', {
    errors: [{ field: 'projectId', message: 'is not the project that the token belongs to' }],
  })
}

/** JWTs with a claim that names a project. */
class ProjectJwts {
  readonly #claim: string
  readonly #verifier: JwtVerifier

  constructor({ issuer, audience, jwksUrl, projectClaim = 'project' }: JwtOptions, now: () => number) {
    this.#claim = projectClaim
    this.#verifier = new JwtVerifier({ issuer, audience, jwksUri: jwksUrl, pauseMs: ISSUER_PAUSE_MS, now })
  }

  async find(jwt: string): Promise<Caller | undefined> {
    const claims = await this.#verifier.verify(jwt).catch(undefinedIfInvalid)
    if (claims === undefined) return undefined
    const project = claims[this.#claim]
    if (typeof project === 'string' && project !== '') return { id: `jwt:${claims.sub ?? ''}:${project}`, project }
    throw new ProblemError('PROJECT_FORBIDDEN', `The token has no claim "${this.#claim}" that names a project.`)
  }
}

function undefinedIfInvalid(error: unknown): undefined {
  if (!(error instanceof JwtError)) throw error
  if (error.kind !== 'unavailable') return undefined
  throw new ProblemError('UNAVAILABLE', 'The keys of the token’s issuer cannot be fetched now; try again later.', {
    headers: { 'retry-after': String(ISSUER_PAUSE_MS / 1_000) },
    cause: error,
  })
}

function refused(code: 'TOKEN_MISSING' | 'TOKEN_INVALID', detail: string): ProblemError {
  const challenge = code === 'TOKEN_MISSING' ? 'Bearer' : 'Bearer error="invalid_token"'
  const errors = [{ field: 'Authorization', message: code === 'TOKEN_MISSING' ? 'is missing' : 'is not valid' }]
  return new ProblemError(code, detail, { errors, headers: { 'www-authenticate': challenge } })
}
