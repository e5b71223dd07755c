import { mayUseProject } from '../../access/eligible-tools.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import { looksLikeJwt } from '../../access/jwt-principal.ts'
import type { ModelSource } from '../../model/gateway-model.ts'
import type { Principal } from '../../model/principal.ts'
import { authenticate } from '../../access/tokens.ts'
import { GatewayError } from '../../errors.ts'
import { type Access, ANONYMOUS } from './guards.ts'

/** The collaborators of `RequestAccess`. */
export interface RequestAccessParts {
  readonly models: Pick<ModelSource, 'current'>
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Verifies JWTs of an external issuer; without it they are unknown tokens. */
  readonly jwt?: { verify(jwt: string): Principal | Promise<Principal> }
  /** Called for every use of a local token. */
  readonly onUse?: (tokenId: string, at: number) => void
}

/** Authenticates with the current model. Synchronous, except for a JWT that was not verified yet. */
export class RequestAccess implements Access {
  readonly #parts: RequestAccessParts
  /** Principals of verified JWTs. They are not in the model, and valid until they expire. */
  readonly #vouchedFor = new WeakSet<Principal>()

  constructor(parts: RequestAccessParts) {
    this.#parts = parts
  }

  authenticate(authorization: string | undefined): Principal | Promise<Principal> {
    const { models, now, jwt, onUse } = this.#parts
    const secret = jwt === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    if (jwt !== undefined && secret !== undefined && looksLikeJwt(secret)) return this.#vouched(jwt.verify(secret))
    const at = now()
    const principal = authenticate(authorization, models.current(), at)
    onUse?.(principal.tokenId, at)
    return principal
  }

  endpoint(id: string, principal: Principal): Endpoint | undefined {
    // The same answer for all endpoints, so that it reveals none.
    if (this.#vouchedFor.has(principal) && principal.projects?.size === 0) {
      throw new GatewayError('SCOPE_INSUFFICIENT', {
        reason: 'it names no project',
        remedy: 'Ask the identity provider for a token with the scope of a project',
      })
    }
    const { endpoints, projects } = this.#parts.models.current()
    const endpoint = endpoints.get(id)
    const project = endpoint === undefined ? undefined : projects.get(endpoint.projectId)
    return project !== undefined && mayUseProject(principal, project) ? endpoint : undefined
  }

  /** Whether a session or stream may continue: its token is not revoked or confined, its endpoint still exists. */
  isValid(principal: Principal, endpointId: string): boolean {
    const { models, now } = this.#parts
    if (principal.expiresAt !== undefined && principal.expiresAt <= now()) return false
    const current = this.#current(principal)
    if (current === undefined) return false
    const { endpoints, projects } = models.current()
    const endpoint = endpoints.get(endpointId)
    const project = projects.get(endpoint?.projectId ?? '')
    if (endpoint === undefined || project === undefined || !mayUseProject(current, project)) return false
    return principal !== ANONYMOUS || endpoint.auth === 'none'
  }

  /** The principal with its current rights. */
  #current(principal: Principal): Principal | undefined {
    if (principal === ANONYMOUS || this.#vouchedFor.has(principal)) return principal
    for (const current of this.#parts.models.current().tokens.values()) {
      if (current.tokenId === principal.tokenId) return current
    }
    return undefined
  }

  #vouched(verified: Principal | Promise<Principal>): Principal | Promise<Principal> {
    if (verified instanceof Promise) return verified.then((principal) => this.#note(principal))
    return this.#note(verified)
  }

  #note(principal: Principal): Principal {
    this.#vouchedFor.add(principal)
    return principal
  }
}
