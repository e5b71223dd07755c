import type { GatewayModel } from '../model/gateway-model.ts'
import type { StoredState, StoredToken } from '../model/stored-state.ts'
import { canonicalText } from '../model/canonical-json.ts'

/**
 * A model without the stored tokens that are no longer what they were: revoked, or changed in any way. For the moment when
 * what is stored cannot be taken over whole: nobody may keep what was taken away.
 */
export function withoutLostTokens(model: GatewayModel, state: StoredState, previous: StoredState): GatewayModel {
  const now = new Map(state.tokens.map((token) => [token.hash, rightsOf(token)]))
  const lost = new Set(
    previous.tokens.filter((token) => now.get(token.hash) !== rightsOf(token)).map(({ hash }) => hash),
  )
  return Object.freeze({ ...model, tokens: new Map([...model.tokens].filter(([hash]) => !lost.has(hash))) })
}

function rightsOf({ kind, projects, servers, readOnly, expiresAt }: StoredToken): string {
  return canonicalText({ kind, projects, servers, readOnly, expiresAt })
}
