import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { GatewayError } from '../../errors.ts'
import type { ServerDefinition } from '../../model/server.ts'
import { listAll } from '../protocol/list-all.ts'
import type { ServerEvent, ServerPool, Trial } from '../server.ts'
import { InstanceBudget } from './client-instances.ts'
import { SupervisedServer, type SupervisionParts } from './supervised-server.ts'

/** The collaborators of a pool. */
export interface PoolParts extends Omit<SupervisionParts, 'emit'> {
  /** Automatic starts wait for it; starts on demand do not. */
  readonly mayStart?: Promise<void> | undefined
}

/** Processes for single clients, over all programs: about as many as a machine with 16 GB of memory can run. */
const MOST_INSTANCES = 128
/** Servers that are tried out at a time. */
const MOST_TRIALS = 4

/** All servers of the gateway, each supervised independently of the others. */
export class SupervisedPool implements ServerPool {
  readonly #parts: PoolParts
  readonly #listeners = new Set<(event: ServerEvent) => void>()
  #servers: ReadonlyMap<string, SupervisedServer> = new Map()
  readonly #trials = new Set<SupervisedServer>()
  /** Servers start one turn of the event loop after the other, so that calls come in between. */
  #nextTurn: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(parts: PoolParts) {
    this.#parts = { budget: new InstanceBudget(MOST_INSTANCES), ...parts }
  }

  get(serverId: string): SupervisedServer | undefined {
    return this.#servers.get(serverId)
  }

  all(): readonly SupervisedServer[] {
    return [...this.#servers.values()]
  }

  async reconcile(definitions: readonly ServerDefinition[]): Promise<void> {
    if (this.#isStopped) return
    const before = this.#servers
    const next = new Map<string, SupervisedServer>()
    for (const definition of definitions) {
      const current = before.get(definition.id)
      const isSame = current !== undefined && isDeepStrictEqual(current.definition, definition)
      next.set(definition.id, isSame ? current : this.#make(definition))
    }
    this.#servers = next
    const gone = [...before.values()].filter((server) => next.get(server.definition.id) !== server)
    const fresh = [...next.values()].filter((server) => before.get(server.definition.id) !== server)
    // A changed server may hold a port or a lock that the old one still has.
    const stopped = new Map(gone.map((server) => [server.definition.id, server.stop()]))
    for (const server of fresh) void this.#begin(server, stopped.get(server.definition.id))
    await Promise.all(stopped.values())
  }

  onEvent(listener: (event: ServerEvent) => void): () => void {
    // A wrapper for each registration, so that one function can be registered twice.
    const own = (event: ServerEvent) => listener(event)
    this.#listeners.add(own)
    return () => void this.#listeners.delete(own)
  }

  async tryOut(definition: ServerDefinition, signal: AbortSignal): Promise<Trial> {
    if (this.#isStopped || this.#trials.size >= MOST_TRIALS) {
      throw new GatewayError('SERVER_BUSY', {
        server: definition.name,
        reason: this.#isStopped ? 'the gateway is stopping' : `${MOST_TRIALS} other servers are being tried out`,
        remedy: 'Try again in a moment',
      })
    }
    // It is not among the servers, so none of its events is passed on.
    const server = this.#make({ ...definition, enabled: true, start: 'on-demand' })
    this.#trials.add(server)
    const outcome: { tools?: number; failure?: unknown } = {}
    try {
      outcome.tools = (await listAll(server, 'tools', signal)).items.length
    } catch (failure) {
      outcome.failure = failure
    } finally {
      await server.stop().finally(() => this.#trials.delete(server))
    }
    const serverInfo = server.serverInfo()
    return {
      ...outcome,
      ...(serverInfo !== undefined && { serverInfo }),
      logs: server.logs().map(({ line }) => line),
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.all(), ...this.#trials].map((server) => server.stop()))
  }

  #make(definition: ServerDefinition): SupervisedServer {
    const server: SupervisedServer = new SupervisedServer(definition, {
      ...this.#parts,
      // Events of a replaced server would be attributed to its successor.
      emit: (event) => this.#servers.get(definition.id) === server && this.#emit(event),
    })
    return server
  }

  /** Starts the servers that start automatically, without waiting. Their state shows the result. */
  async #begin(server: SupervisedServer, predecessor: Promise<void> | undefined): Promise<void> {
    const { id, enabled, start } = server.definition
    this.#emit({ kind: 'state', serverId: id, status: server.status() })
    await Promise.all([predecessor, this.#parts.mayStart])
    await (this.#nextTurn = this.#nextTurn.then(() => setImmediate()))
    if (!enabled || start !== 'eager' || this.#servers.get(id) !== server || this.#isStopped) return
    await server.start().catch(() => {})
  }

  /** A listener that throws affects neither the others nor the server. */
  #emit(event: ServerEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event)
      } catch {
        // The failure is the listener's own.
      }
    }
  }
}
