import { DEFAULT_ENDPOINT, type GatewayModel, type ModelSource } from '../model/gateway-model.ts'
import type { Principal } from '../model/principal.ts'

/** Whoever starts the program on this machine and may read its data folder: may do what the configuration allows at all. */
export const LOCAL_PRINCIPAL: Principal = Object.freeze({ tokenId: 'local', name: 'local', readOnly: false })

/** The endpoint that commands use in place of a configured one: the same project, always with search and execution. */
export function localEndpointId(endpointId: string = DEFAULT_ENDPOINT): string {
  return `local.${endpointId}`
}

/** Who commands are, and where they ask. */
export function localCaller(endpointId?: string): { readonly principal: Principal; readonly endpointId: string } {
  return { principal: LOCAL_PRINCIPAL, endpointId: localEndpointId(endpointId) }
}

/**
 * A source with what the program's own commands need: tokens that live as long as the process, and beside every endpoint
 * one of the same project whose exposure is known. Nobody may use more through it than through the other.
 */
export function withLocalAccess(source: ModelSource, tokens: ReadonlyMap<string, Principal> = new Map()): ModelSource {
  // One object per model, so that whoever compares models by identity sees no change where there is none.
  const extended = new WeakMap<GatewayModel, GatewayModel>()
  const extend = (model: GatewayModel): GatewayModel => {
    const known = extended.get(model)
    if (known !== undefined) return known
    const made = withLocalEndpoints({ ...model, tokens: new Map([...model.tokens, ...tokens]) })
    extended.set(model, made)
    return made
  }
  return {
    current: () => extend(source.current()),
    onChange: (listener) => source.onChange((model, previous) => listener(extend(model), extend(previous))),
  }
}

/** A model whose servers start when they are called and not before. */
export function onDemand(model: GatewayModel): GatewayModel {
  return Object.freeze({
    ...model,
    servers: model.servers.map((server) => ({ ...server, start: 'on-demand' as const })),
  })
}

function withLocalEndpoints(model: GatewayModel): GatewayModel {
  const local = [...model.endpoints.values()].map((endpoint) => ({
    ...endpoint,
    id: localEndpointId(endpoint.id),
    disclosure: { ...endpoint.disclosure, exposure: 'meta-tools', dialect: 'router' } as const,
    auth: 'token' as const,
    transparent: false,
  }))
  const endpoints = new Map([...model.endpoints, ...local.map((endpoint) => [endpoint.id, endpoint] as const)])
  return Object.freeze({ ...model, endpoints })
}
