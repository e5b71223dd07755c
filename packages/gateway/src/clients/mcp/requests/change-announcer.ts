import type { ModelSource } from '../../../model/gateway-model.ts'
import type { Catalog, CatalogChange } from '../../../catalog/catalog.ts'
import { ResourceUris } from '../../../catalog/resource-uris.ts'
import type { ServerEvent, ServerPool } from '../../../servers/server.ts'
import type { ClientNotifier } from './request-handler.ts'

/** Notifies clients of the affected endpoints when servers or settings change. Returns the function that ends it. */
export function announceChanges(
  { models, catalog, pool }: { readonly models: ModelSource; readonly catalog: Catalog; readonly pool: ServerPool },
  notifier: ClientNotifier,
): () => void {
  const endpointsOf = (serverId: string): ReadonlySet<string> => {
    const { endpoints, projects } = models.current()
    const affected = [...endpoints.values()].filter(({ projectId }) =>
      projects.get(projectId)?.serverIds.includes(serverId),
    )
    return new Set(affected.map(({ id }) => id))
  }
  const onCatalogChange = ({ serverId, lists, state }: CatalogChange): void => {
    const affected = endpointsOf(serverId)
    if (state || lists.includes('tools')) notifier.toolsChanged(affected)
    if (state || lists.includes('prompts')) notifier.promptsChanged(affected)
    if (state || lists.includes('resources')) notifier.resourcesChanged(affected)
  }
  const onModelChange = (): void => {
    const all = new Set(models.current().endpoints.keys())
    notifier.toolsChanged(all)
    notifier.promptsChanged(all)
    notifier.resourcesChanged(all)
  }
  const onServerEvent = (event: ServerEvent): void => {
    if (event.kind !== 'resource-updated') return
    const { serverId, uri, sessionId } = event
    const { endpoints, projects } = models.current()
    const snapshot = catalog.snapshot()
    for (const endpointId of endpointsOf(serverId)) {
      const ids = projects.get(endpoints.get(endpointId)?.projectId ?? '')?.serverIds ?? []
      const servers = snapshot.servers.filter(({ id }) => ids.includes(id))
      const server = servers.find(({ id }) => id === serverId)
      if (server === undefined) continue
      const exposed = new ResourceUris(servers).exposedUri(server, uri)
      notifier.resourceUpdated(endpointId, exposed, sessionId === undefined ? undefined : new Set([sessionId]))
    }
  }
  const ends = [catalog.onChange(onCatalogChange), models.onChange(onModelChange), pool.onEvent(onServerEvent)]
  return () => {
    for (const end of ends) end()
  }
}
