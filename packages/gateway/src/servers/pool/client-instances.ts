import { GatewayError } from '../../errors.ts'
import type { ClientLink } from '../server.ts'
import type { Instance } from './instance.ts'

/** The instance that a request belongs to. */
export interface Place {
  readonly key: string
  /** The client, with the capabilities that the server is told. */
  readonly owner: ClientLink
  /** Whether no other request may run there meanwhile, because a question of the server could belong to either. */
  readonly isAlone: boolean
}

/** The collaborators of the instances of one server. */
export interface ClientInstancesParts {
  /** Makes an instance; nothing is started yet. Each start takes the latest link of the client. */
  readonly make: (client: ClientLink, latest: () => ClientLink) => Instance
  readonly now: () => number
  /** How many may run. */
  readonly most: number
  /** How many may run of all servers; absent for sessions behind a URL, which cost no process. */
  readonly budget?: InstanceBudget | undefined
}

interface Entry {
  readonly instance: Instance
  owner: ClientLink
  users: number
  usedAt: number
}

/** An instance that was not used for this long may be stopped for another client. */
const EVICTABLE_AFTER_MS = 60_000
/** The codes of requests that the gateway ended itself. */
const GIVEN_UP: ReadonlySet<string> = new Set(['CALL_CANCELLED', 'SERVER_TIMEOUT'])

/** The instances of a server that belong to one client each, or to one call at a time. */
export class ClientInstances {
  readonly #parts: ClientInstancesParts
  readonly #entries = new Map<string, Entry>()

  constructor(parts: ClientInstancesParts) {
    this.#parts = parts
  }

  /** How many run, or are about to. */
  get running(): number {
    let running = 0
    for (const entry of this.#entries.values()) if (isBusy(entry)) running++
    return running
  }

  get remarks(): readonly string[] {
    return [...this.#entries.values()].flatMap(({ instance }) => instance.remarks)
  }

  /** The instance with this key, whether or not it runs. */
  get(key: string): Instance | undefined {
    return this.#entries.get(key)?.instance
  }

  /** The instance of a client for something that does not start it. */
  known({ key, owner }: Place): Instance {
    return (this.#entries.get(key) ?? this.#add(key, owner)).instance
  }

  /** Runs work on the instance of a place; undefined if no more may run. */
  use<T>(place: Place, work: (instance: Instance) => Promise<T>): Promise<T> | undefined {
    const key = place.isAlone ? this.#freeKey(place.key) : place.key
    const known = this.#entries.get(key)
    if ((known === undefined || !isBusy(known)) && !this.#makeRoom()) return undefined
    const entry = known ?? this.#add(key, place.owner)
    entry.owner = place.owner
    return this.#run(key, entry, place.isAlone, work)
  }

  /** Stops the instance with this key and forgets it. */
  async close(key: string): Promise<void> {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    await entry.instance.stop()
  }

  async closeAll(): Promise<void> {
    this.#parts.budget?.remove(this)
    await Promise.all([...this.#entries.keys()].map((key) => this.close(key)))
  }

  /** Since when the instance is unused that would be stopped first; undefined if none may be. */
  get idleSince(): number | undefined {
    return this.#idlest()?.[1].usedAt
  }

  /** Stops the instance that was unused for the longest time. */
  stopIdlest(): void {
    const [key] = this.#idlest() ?? []
    if (key !== undefined) void this.close(key)
  }

  async #run<T>(key: string, entry: Entry, isAlone: boolean, work: (instance: Instance) => Promise<T>): Promise<T> {
    entry.users++
    try {
      return await work(entry.instance)
    } catch (error) {
      // The server may still be working on it, and ask the next client for it.
      const isGivenUp = isAlone && error instanceof GatewayError && GIVEN_UP.has(error.code)
      if (isGivenUp && this.#entries.get(key) === entry) void this.close(key)
      throw error
    } finally {
      entry.users--
      entry.usedAt = this.#parts.now()
    }
  }

  #add(key: string, owner: ClientLink): Entry {
    this.#forgetStopped()
    const instance = this.#parts.make(owner, () => entry.owner)
    const entry: Entry = { instance, owner, users: 0, usedAt: this.#parts.now() }
    this.#entries.set(key, entry)
    return entry
  }

  /** Instances that stopped some time ago have nothing left that the next start should know of. */
  #forgetStopped(): void {
    const before = this.#parts.now() - EVICTABLE_AFTER_MS
    for (const [key, entry] of this.#entries) {
      if (!isBusy(entry) && !entry.instance.isKept && entry.usedAt <= before) this.#entries.delete(key)
    }
  }

  #freeKey(base: string): string {
    for (let number = 0; ; number++) {
      const key = `${base} ${number}`
      const users = this.#entries.get(key)?.users ?? 0
      if (users === 0) return key
    }
  }

  #makeRoom(): boolean {
    const { most, budget } = this.#parts
    if (this.running >= most) {
      if (this.#idlest() === undefined) return false
      this.stopIdlest()
    }
    return budget === undefined || budget.makeRoomFor(this)
  }

  #idlest(): [key: string, entry: Entry] | undefined {
    const before = this.#parts.now() - EVICTABLE_AFTER_MS
    let idlest: [string, Entry] | undefined
    for (const [key, entry] of this.#entries) {
      const { instance, users, usedAt } = entry
      if (users > 0 || !instance.isLive || instance.isWatched || usedAt > before) continue
      if (idlest === undefined || usedAt < idlest[1].usedAt) idlest = [key, entry]
    }
    return idlest
  }
}

/** Limits the instances of all servers together. */
export class InstanceBudget {
  readonly #most: number
  readonly #members = new Set<ClientInstances>()

  constructor(most: number) {
    this.#most = most
  }

  remove(member: ClientInstances): void {
    this.#members.delete(member)
  }

  /** Whether one more may run, if necessary in place of the one that was unused for the longest time. */
  makeRoomFor(asking: ClientInstances): boolean {
    this.#members.add(asking)
    let running = 0
    let idlest: ClientInstances | undefined
    for (const member of this.#members) {
      running += member.running
      const { idleSince } = member
      if (idleSince !== undefined && idleSince < (idlest?.idleSince ?? Number.POSITIVE_INFINITY)) idlest = member
    }
    if (running < this.#most) return true
    idlest?.stopIdlest()
    return idlest !== undefined
  }
}

/** Whether it runs, or is about to. */
function isBusy({ users, instance }: Entry): boolean {
  return users > 0 || instance.isLive
}
