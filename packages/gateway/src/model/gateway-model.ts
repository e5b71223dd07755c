import type { Endpoint } from './endpoint.ts'
import type { Principal } from './principal.ts'
import type { Project, ServerToolPermissions } from './project.ts'
import type { ServerDefinition } from './server.ts'

/** The id of the project of all servers that are in no other. It always exists. */
export const DEFAULT_PROJECT = 'default'
/** What clients may write for "no project" (R21). */
export const UNASSIGNED_PROJECT = '__unassigned__'
export const DEFAULT_ENDPOINT = 'default'

/** Everything that people decide, as one frozen value. Files, and later the store, make it; nobody changes it. */
export interface GatewayModel {
  /** In configured order, which is their priority. */
  readonly servers: readonly ServerDefinition[]
  readonly serverTools: ServerToolPermissions
  /** By id; `DEFAULT_PROJECT` included. */
  readonly projects: ReadonlyMap<string, Project>
  /** By id; `DEFAULT_ENDPOINT` included. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** By the SHA-256 of the secret, in hex. */
  readonly tokens: ReadonlyMap<string, Principal>
}

/** Where the model comes from, and word of its changes. The last good one stays when a new one is not valid. */
export interface ModelSource {
  current(): GatewayModel
  onChange(listener: (model: GatewayModel, previous: GatewayModel) => void): () => void
}

/** A source of one model that never changes. */
export function fixedModelSource(model: GatewayModel): ModelSource {
  return { current: () => model, onChange: () => () => {} }
}
