import { DEFAULT_ENDPOINT, type GatewayModel, type ModelSource } from '../model/gateway-model.ts'
import { LOCAL_TOKEN_ID, type Principal } from '../model/principal.ts'
import { SortedMap } from '../model/sorted-map.ts'

/** The owner of the data folder on this machine, with all rights that the configuration allows. */
export const LOCAL_PRINCIPAL: Principal = Object.freeze({ tokenId: LOCAL_TOKEN_ID, name: 'local', readOnly: false })

/** The id of the endpoint that commands use for a configured one: same project, always with search and execution. */
export function localEndpointId(endpointId: string = DEFAULT_ENDPOINT): string {
  return `local.${endpointId}`
}

/** The principal and the endpoint of commands. */
export function localCaller(endpointId?: string): { readonly principal: Principal; readonly endpointId: string } {
  return { principal: LOCAL_PRINCIPAL, endpointId: localEndpointId(endpointId) }
}

/**
 * Adds what the commands of this program need: tokens for the lifetime of the process, and for every endpoint a local one
 * of the same project with a known exposure, which grants no additional access.
 */
export function withLocalAccess(source: ModelSource, tokens: ReadonlyMap<string, Principal> = new Map()): ModelSource {
  // One object per model and per part, so that comparing models by identity works.
  const extended = new WeakMap<GatewayModel, GatewayModel>()
  const endpoints = new WeakMap<GatewayModel['endpoints'], GatewayModel['endpoints']>()
  const extend = (model: GatewayModel): GatewayModel => {
    const known = extended.get(model)
    if (known !== undefined) return known
    const withLocal = endpoints.get(model.endpoints) ?? withLocalEndpoints(model.endpoints)
    endpoints.set(model.endpoints, withLocal)
    const withTokens = tokens.size === 0 ? model.tokens : SortedMap.of(model.tokens).with(tokens)
    const made = Object.freeze({ ...model, endpoints: withLocal, tokens: withTokens })
    extended.set(model, made)
    return made
  }
  return {
    current: () => extend(source.current()),
    onChange: (listener) => source.onChange((model, previous) => listener(extend(model), extend(previous))),
  }
}

/** The model with all servers started on demand. */
export function onDemand(model: GatewayModel): GatewayModel {
  return Object.freeze({
    ...model,
    servers: model.servers.map((server) => ({ ...server, start: 'on-demand' as const })),
  })
}

function withLocalEndpoints(endpoints: GatewayModel['endpoints']): GatewayModel['endpoints'] {
  const local = Array.from(endpoints.values(), (endpoint) => ({
    ...endpoint,
    id: localEndpointId(endpoint.id),
    // A person reads results, not a model.
    disclosure: { ...endpoint.disclosure, exposure: 'meta-tools', dialect: 'router', resultBudget: 'off' } as const,
    auth: 'token' as const,
    transparent: false,
  }))
  return new Map([...endpoints, ...local.map((endpoint) => [endpoint.id, endpoint] as const)])
}
