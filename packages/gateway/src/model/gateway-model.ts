import type { AcceptedFinding } from '@tooldex/contract'
import type { Endpoint } from './endpoint.ts'
import type { TrustMode } from './pins.ts'
import type { Principal } from './principal.ts'
import type { Project, ServerToolPermissions } from './project.ts'
import type { ServerDefinition } from './server.ts'

/** The id of the built-in project, which has all servers of no other project. */
export const DEFAULT_PROJECT = 'default'
/** The name that clients may send for "no project" (R21). */
export const UNASSIGNED_PROJECT = '__unassigned__'
/** The id of the built-in endpoint. */
export const DEFAULT_ENDPOINT = 'default'

/** The whole dynamic configuration of file and store as one frozen value. */
export interface GatewayModel {
  /** In configured order, which is their priority. */
  readonly servers: readonly ServerDefinition[]
  readonly serverTools: ServerToolPermissions
  /** By server id: the strictest mode that is set for it. */
  readonly trust: ReadonlyMap<string, TrustMode>
  /** Findings of the scanner that somebody accepted, by server. */
  readonly acceptedFindings?: ReadonlyMap<string, readonly AcceptedFinding[]>
  /** By id; `DEFAULT_PROJECT` included. */
  readonly projects: ReadonlyMap<string, Project>
  /** By id; `DEFAULT_ENDPOINT` included. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** By the SHA-256 of the secret, in hex. */
  readonly tokens: ReadonlyMap<string, Principal>
}

/** Provides the current model and its changes. An invalid configuration leaves the last valid model in use. */
export interface ModelSource {
  current(): GatewayModel
  onChange(listener: (model: GatewayModel, previous: GatewayModel) => void): () => void
}

/** A source whose model never changes. */
export function fixedModelSource(model: GatewayModel): ModelSource {
  return { current: () => model, onChange: () => () => {} }
}
