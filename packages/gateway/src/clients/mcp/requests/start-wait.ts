import type { Catalog, CatalogServer } from '../../../catalog/catalog.ts'
import type { Server } from '../../../servers/server.ts'
import type { EndpointView } from './endpoint-view.ts'
import type { Caller } from './request-handler.ts'

/** The collaborators of `StartWait`. */
export interface StartWaitParts {
  readonly catalog: Pick<Catalog, 'met'>
  readonly servers: { get(serverId: string): Server | undefined }
  readonly now: () => number
  /** How long servers may take to start before answers go out without them. */
  readonly graceMs: number
}

/** Lets requests wait, bounded, for servers whose tools are not known yet. `EligibleTools.awaited` says which they are. */
export class StartWait {
  readonly #parts: StartWaitParts

  constructor(parts: StartWaitParts) {
    this.#parts = parts
  }

  /** Waits until the grace of each server is over, counted from its start: later requests do not wait again. */
  async forLists({ tools: { awaited } }: EndpointView, caller: Caller): Promise<void> {
    const ends = awaited.map((server) => (server.awaitedSince ?? 0) + this.#graceOf(server, caller))
    await this.#until(Math.max(0, ...ends), awaited, caller)
  }

  /** Waits for the servers that may have a tool that a call names, from now on. */
  async forTool(serverNames: readonly string[], { tools: { awaited } }: EndpointView, caller: Caller): Promise<void> {
    const named = awaited.filter(({ name }) => serverNames.includes(name))
    await this.#until(this.#parts.now() + this.#parts.graceMs, named, caller)
  }

  #until(end: number, servers: readonly CatalogServer[], { signal }: Caller): Promise<void> {
    const serverIds = new Set(servers.map(({ id }) => id))
    return this.#parts.catalog.met(end - this.#parts.now(), { serverIds, signal })
  }

  /** Behind a transparent endpoint a client waits as long as it would for the server itself: there is no list without it. */
  #graceOf({ id }: CatalogServer, { endpoint }: Caller): number {
    const { graceMs, servers } = this.#parts
    if (!endpoint.transparent) return graceMs
    return Math.max(graceMs, servers.get(id)?.definition.limits.startTimeoutMs ?? 0)
  }
}
