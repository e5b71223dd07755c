import type { SearchApiOptions } from '../options.ts'
import { ProblemError } from '../problem-error.ts'
import { JwtVerifier } from './jwt.ts'
import { type Caller, Tokens } from './tokens.ts'

/** Longer ones are no tokens, and looking at them would be work for nothing. */
const LONGEST_SECRET = 8_192

/** Says who asks and for which project: nobody without a token, and each token for its own project only. */
export class Gate {
  readonly #tokens: Tokens
  readonly #jwt: JwtVerifier | undefined

  constructor({ tokens = [], jwt }: Pick<SearchApiOptions, 'tokens' | 'jwt'>, now: () => number) {
    this.#tokens = new Tokens(tokens, now)
    this.#jwt = jwt === undefined ? undefined : new JwtVerifier(jwt, now)
  }

  /**
   * By the `Authorization` header and nothing else.
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
    const known = this.#tokens.find(secret)
    return known ?? (secret.split('.').length === 3 ? this.#jwt?.find(secret) : undefined)
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

function refused(code: 'TOKEN_MISSING' | 'TOKEN_INVALID', detail: string): ProblemError {
  const challenge = code === 'TOKEN_MISSING' ? 'Bearer' : 'Bearer error="invalid_token"'
  const errors = [{ field: 'Authorization', message: code === 'TOKEN_MISSING' ? 'is missing' : 'is not valid' }]
  return new ProblemError(code, detail, { errors, headers: { 'www-authenticate': challenge } })
}
