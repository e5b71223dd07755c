import { EligibilityCache } from '../../../access/eligibility-cache.ts'
import { serversWithin } from '../../../access/eligible-tools.ts'
import type { Catalog, CatalogChange } from '../../../catalog/catalog.ts'
import { ResourceUris } from '../../../catalog/resource-uris.ts'
import { canonicalText } from '../../../model/canonical-json.ts'
import type { GatewayModel, ModelSource } from '../../../model/gateway-model.ts'
import type { ServerEvent, ServerPool } from '../../../servers/server.ts'
import type { ClientNotifier, Concerns, Recipient } from './request-handler.ts'

/**
 * Notifies clients when servers or settings change: each client of changes within its own reach, as if the gateway had
 * nothing else. Returns the function that ends it.
 */
export function announceChanges(
  { models, catalog, pool }: { readonly models: ModelSource; readonly catalog: Catalog; readonly pool: ServerPool },
  notifier: ClientNotifier,
): () => void {
  const eligibility = new EligibilityCache()
  const onCatalogChange = ({ serverId, lists, state }: CatalogChange): void => {
    const snapshot = catalog.snapshot()
    const concerns: Concerns = ({ principal, endpoint }) => {
      const project = models.current().projects.get(endpoint.projectId)
      // In any state: a server that stops leaves the list.
      return project !== undefined && serversWithin(principal, project, snapshot).some(({ id }) => id === serverId)
    }
    if (state || lists.includes('tools')) notifier.toolsChanged(concerns)
    if (state || lists.includes('prompts')) notifier.promptsChanged(concerns)
    if (state || lists.includes('resources')) notifier.resourcesChanged(concerns)
  }
  const onModelChange = (model: GatewayModel, previous: GatewayModel): void => {
    const [before, after] = [new Reach(previous), new Reach(model)]
    const haveServersChanged: Concerns = (client) => before.serversOf(client) !== after.serversOf(client)
    notifier.toolsChanged(
      (client) => haveServersChanged(client) || before.permissionsOf(client) !== after.permissionsOf(client),
    )
    notifier.promptsChanged(haveServersChanged)
    notifier.resourcesChanged(haveServersChanged)
  }
  const onServerEvent = (event: ServerEvent): void => {
    if (event.kind !== 'resource-updated') return
    const { serverId, uri, sessionId } = event
    const { projects, serverTools } = models.current()
    const snapshot = catalog.snapshot()
    // The URI depends on the other servers of the client, as in its list.
    const uriFor = ({ principal, endpoint }: Recipient): string | undefined => {
      const project = projects.get(endpoint.projectId)
      const servers = project && eligibility.eligibleTools(principal, project, serverTools, snapshot).servers
      const server = servers?.find(({ id }) => id === serverId)
      return servers && server && new ResourceUris(servers).exposedUri(server, uri)
    }
    notifier.resourceUpdated(uriFor, sessionId)
  }
  const ends = [catalog.onChange(onCatalogChange), models.onChange(onModelChange), pool.onEvent(onServerEvent)]
  return () => {
    for (const end of ends) end()
  }
}

/** What a model lets a client reach, as texts to compare. */
class Reach {
  readonly #model: GatewayModel
  readonly #principals: ReadonlyMap<string, Recipient['principal']>

  constructor(model: GatewayModel) {
    this.#model = model
    this.#principals = new Map([...model.tokens.values()].map((principal) => [principal.tokenId, principal]))
  }

  /** Its servers, and the settings that shape its lists. */
  serversOf(client: Recipient): string {
    const { endpoint, project, servers } = this.#of(client)
    return canonicalText([
      servers.map(({ id, name, enabled }) => [id, name, enabled]),
      endpoint?.disclosure ?? {},
      endpoint?.transparent ?? false,
      project?.disclosure ?? {},
    ])
  }

  /** The decisions about single tools of its servers. */
  permissionsOf(client: Recipient): string {
    const { principal, project, servers } = this.#of(client)
    const ids = new Set(servers.map(({ id }) => id))
    const ofProject = [...(project?.tools ?? [])].filter(([key]) => ids.has(key.slice(0, key.indexOf(':'))))
    const ofServers = servers.map(({ id }) => [id, this.#model.serverTools.get(id) ?? {}])
    return canonicalText([principal.readOnly, ofProject, ofServers])
  }

  #of(client: Recipient) {
    const { endpoints, projects } = this.#model
    const principal = this.#principals.get(client.principal.tokenId) ?? client.principal
    const endpoint = endpoints.get(client.endpoint.id)
    const project = projects.get(endpoint?.projectId ?? '')
    const servers = project === undefined ? [] : serversWithin(principal, project, this.#model)
    return { principal, endpoint, project, servers }
  }
}
