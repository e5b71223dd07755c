import { setImmediate } from 'node:timers/promises'
import { EligibilityCache } from '../../../access/eligibility-cache.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { ResourceUris } from '../../../catalog/resource-uris.ts'
import type { ModelSource } from '../../../model/gateway-model.ts'
import type { ServerEvent, ServerPool } from '../../../servers/server.ts'
import type { ListChanges } from './list-changes.ts'
import type { ClientNotifier, Recipient } from './request-handler.ts'

/** The collaborators of `announceChanges`. */
interface AnnouncerParts {
  readonly models: ModelSource
  readonly catalog: Catalog
  readonly pool: ServerPool
  readonly lists: ListChanges
  readonly onProblem: (error: unknown) => void
}

/**
 * Notifies clients when servers or settings change: each client whose list changed, and no others. Returns the function that
 * ends it.
 */
export function announceChanges(
  { models, catalog, pool, lists, onProblem }: AnnouncerParts,
  notifier: ClientNotifier,
): () => void {
  const eligibility = new EligibilityCache()
  notifier.onJoin((client) => lists.joined(client))
  const comparing = new OneAtATime(() => lists.compare(notifier).catch(onProblem))
  const onServerEvent = (event: ServerEvent): void => {
    if (event.kind === 'log' && event.sessionId !== undefined) return notifier.logged(event.sessionId, event.params)
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
  const ends = [
    catalog.onChange(() => comparing.want()),
    models.onChange(() => comparing.want()),
    pool.onEvent(onServerEvent),
  ]
  return () => {
    for (const end of ends) end()
    comparing.stop()
  }
}

/** Runs a task after changes: one run at a time, and another one if something changed meanwhile. */
class OneAtATime {
  readonly #run: () => Promise<void>
  #state: 'idle' | 'running' | 'running again' | 'stopped' = 'idle'

  constructor(run: () => Promise<void>) {
    this.#run = run
  }

  want(): void {
    if (this.#state === 'running') this.#state = 'running again'
    if (this.#state !== 'idle') return
    this.#state = 'running'
    void this.#loop()
  }

  stop(): void {
    this.#state = 'stopped'
  }

  async #loop(): Promise<void> {
    // A change often comes with others, and their listeners run first.
    await setImmediate()
    while (this.#state !== 'stopped') {
      this.#state = 'running'
      await this.#run()
      if (this.#state === 'running') this.#state = 'idle'
      if (this.#state === 'idle') return
    }
  }
}
