import type { EndpointPatch, RouteBody } from '@tooldex/contract/admin'
import { type Administration, refuseTaken, type Removal } from './administration.ts'
import { checkRevision } from './draft.ts'
import { invalidField } from './invalid-request.ts'
import { patched } from './patch.ts'

/** Changes endpoints. */
export class EndpointChanges {
  readonly #administration: Administration

  constructor(administration: Administration) {
    this.#administration = administration
  }

  /** @throws GatewayError NAME_TAKEN, InvalidRequest */
  create({ id, ...config }: RouteBody<'createEndpoint'>): Promise<void> {
    return this.#administration.change(['endpoints', id], (draft, entries) => {
      refuseTaken(
        { what: 'endpoint', field: 'id', name: id },
        entries
          .endpoints()
          .filter(isTaken)
          .map((endpoint) => endpoint.id),
      )
      draft.putEndpoint(id, config)
    })
  }

  /** Changes an endpoint. Changing the built-in default endpoint stores it. */
  change(id: string, patch: EndpointPatch, revision?: string): Promise<void> {
    return this.#administration.change(['endpoints', id], (draft, entries) => {
      const endpoint = entries.endpoint(id)
      entries.refuseFileManaged('endpoint', endpoint)
      checkRevision(endpoint.stored, revision)
      const { project, auth, transparent } = { ...DEFAULTS, ...patched(endpoint.config, patch) }
      draft.putEndpoint(id, { ...patched(endpoint.config, patch), project, auth, transparent })
    })
  }

  remove(id: string, revision?: string): Promise<Removal> {
    return this.#administration.change(['endpoints', id], (draft, entries) => {
      const endpoint = entries.endpoint(id)
      entries.refuseFileManaged('endpoint', endpoint)
      checkRevision(endpoint.stored, revision)
      if (endpoint.managedBy === 'built-in') throw invalidField('', 'the endpoint "default" always exists')
      draft.removeEndpoint(id)
      return { removed: id, alsoRemoved: [], narrowed: [] }
    })
  }
}

const DEFAULTS = { project: 'default', auth: 'token', transparent: false } as const

/** An entry for the built-in endpoint may be created. */
const isTaken = ({ managedBy }: { readonly managedBy: string }): boolean => managedBy !== 'built-in'
