import { mayUseProject } from '../../access/eligible-tools.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import { looksLikeJwt } from '../../access/jwt-principal.ts'
import type { GatewayModel, ModelSource } from '../../model/gateway-model.ts'
import type { Principal } from '../../model/principal.ts'
import { changedKeys } from '../../model/sorted-map.ts'
import { authenticate, hasExpired, type NarrowedSecrets, narrowedSecrets, SharedRights } from '../../access/tokens.ts'
import { GatewayError } from '../../errors.ts'
import type { Recipient } from '../mcp/requests/request-handler.ts'
import { type Access, ANONYMOUS } from './guards.ts'

/** The collaborators of `RequestAccess`. */
export interface RequestAccessParts {
  readonly models: Pick<ModelSource, 'current'>
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Verifies JWTs of an external issuer; without it they are unknown tokens. */
  readonly jwt?: { verify(jwt: string): Principal | Promise<Principal> }
  /** The owner of the data folder: its token is in the run record, and it may narrow the requests of `tooldex stdio`. */
  readonly owner?: Principal
  /** Called for every use of a local token. */
  readonly onUse?: (tokenId: string, at: number) => void
}

/** Authenticates with the current model. Synchronous, except for a JWT that was not verified yet. */
export class RequestAccess implements Access {
  readonly #parts: RequestAccessParts
  /** Principals of verified JWTs. They are not in the model, and valid until they expire. */
  readonly #vouchedFor = new WeakSet<Principal>()
  readonly #shared = new SharedRights()
  /** The two principals of narrowed requests, by the rights that they share. */
  readonly #pairs = new WeakMap<Principal, readonly [own: Principal, shown: Principal]>()
  /** The hashes of secrets by what they opened: most sessions still have the token that they began with. */
  readonly #hashes = new WeakMap<Principal, string>()
  readonly #table = { tokens: { get: (hash: string) => this.#opened(hash) } }
  /** The principals of the current model by token id, once a session has a changed token: sweeps look up every session. */
  readonly #byId = new Map<string, Principal>()
  #known: GatewayModel['tokens'] = new Map()

  constructor(parts: RequestAccessParts) {
    this.#parts = parts
  }

  authenticate(authorization: string | undefined): Principal | Promise<Principal> {
    const narrowed = narrowedSecrets(authorization)
    if (narrowed !== undefined) return this.#narrowed(narrowed)
    const { now, jwt, onUse } = this.#parts
    const secret = jwt === undefined ? undefined : /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
    if (jwt !== undefined && secret !== undefined && looksLikeJwt(secret)) return this.#vouched(jwt.verify(secret))
    const at = now()
    const principal = authenticate(authorization, this.#table, at)
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

  /** The rights of an open session, stream or call as they are now; undefined once its token or its endpoint is gone. */
  rightsNow({ principal, endpoint: { id } }: Recipient): Recipient | undefined {
    const current = this.#current(principal)
    if (current === undefined || hasExpired(current, this.#parts.now())) return undefined
    const { endpoints, projects } = this.#parts.models.current()
    const endpoint = endpoints.get(id)
    const project = projects.get(endpoint?.projectId ?? '')
    if (endpoint === undefined || project === undefined || !mayUseProject(current, project)) return undefined
    return principal !== ANONYMOUS || endpoint.auth === 'none' ? { principal: current, endpoint } : undefined
  }

  /** The rights that both tokens have. The owner's secret is checked first, so that others learn nothing about the tokens. */
  #narrowed({ owner, own, shown }: NarrowedSecrets): Principal | Promise<Principal> {
    const { models, now } = this.#parts
    if (authenticate(`Bearer ${owner}`, models.current(), now()) !== this.#parts.owner) {
      throw new GatewayError('TOKEN_INVALID', {
        reason: 'only tooldex stdio on this machine may narrow one token by another',
        remedy: 'Send one token in the header "Authorization: Bearer <token>"',
      })
    }
    const first = this.authenticate(`Bearer ${own}`)
    // One after the other, so that a refusal of the second leaves no unobserved promise of the first.
    if (first instanceof Promise) {
      return first.then(async (one) => this.#pair(one, await this.authenticate(`Bearer ${shown}`)))
    }
    const second = this.authenticate(`Bearer ${shown}`)
    return second instanceof Promise ? second.then((other) => this.#pair(first, other)) : this.#pair(first, second)
  }

  #pair(own: Principal, shown: Principal): Principal {
    const shared = this.#shared.of(own, shown)
    if (shared !== own) this.#pairs.set(shared, [own, shown])
    return shared
  }

  #opened(hash: string): Principal | undefined {
    const principal = this.#parts.models.current().tokens.get(hash)
    if (principal !== undefined) this.#hashes.set(principal, hash)
    return principal
  }

  /** The principal with its current rights. */
  #current(principal: Principal): Principal | undefined {
    const pair = this.#pairs.get(principal)
    if (pair !== undefined) {
      const [own, shown] = [this.#current(pair[0]), this.#current(pair[1])]
      return own === undefined || shown === undefined ? undefined : this.#pair(own, shown)
    }
    if (principal === ANONYMOUS || this.#vouchedFor.has(principal)) return principal
    const { tokens } = this.#parts.models.current()
    if (tokens.get(this.#hashes.get(principal) ?? '') === principal) return principal
    this.#followTokens(tokens)
    return this.#byId.get(principal.tokenId)
  }

  /** A change concerns a few of many tokens. */
  #followTokens(tokens: GatewayModel['tokens']): void {
    if (this.#known === tokens) return
    const changed = this.#known.size === 0 ? [...tokens.keys()] : [...changedKeys(tokens, this.#known)]
    for (const hash of changed) this.#byId.delete(this.#known.get(hash)?.tokenId ?? '')
    for (const principal of changed.flatMap((hash) => tokens.get(hash) ?? [])) {
      this.#byId.set(principal.tokenId, principal)
    }
    this.#known = tokens
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
