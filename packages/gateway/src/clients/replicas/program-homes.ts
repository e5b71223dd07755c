import { setTimeout as delay } from 'node:timers/promises'
import { GatewayError } from '../../errors.ts'
import type { Replica, ReplicaRepository } from '../../model/replicas.ts'
import type { ServerDefinition } from '../../model/server.ts'
import type { ProgramHome } from '../../servers/http/replica-transport.ts'
import type { Replicas } from './replicas.ts'
import { type Keys, seal, unseal } from './seal.ts'

/** The collaborators of {@link ProgramHomes}. */
export interface ProgramHomesParts {
  readonly replicas: Replicas
  readonly repository: Pick<ReplicaRepository, 'find' | 'claim'>
  readonly keys: Keys
}

/** The first segment of the path at which a gateway serves its programs to the others. */
export const PROGRAMS_PATH = 'replica-programs'
const PURPOSE = 'program'
/** How long one authorization is valid: each request has its own. */
const VALID_MS = 60_000
const POLL_MS = 100
/** Programs have no end of their own. */
const NEVER = 8.64e15

/** Which gateway runs the programs that run in one only. The database has the owner of each; a new one takes over from one that is gone. */
export class ProgramHomes {
  readonly #parts: ProgramHomesParts
  /** By server id: the owner that was last known, for the time without a database. */
  readonly #known = new Map<string, string>()
  readonly #whenGone = new Map<() => void, string>()

  constructor(parts: ProgramHomesParts) {
    this.#parts = parts
    parts.replicas.onGone((id) => {
      for (const [listener, replicaId] of this.#whenGone) if (replicaId === id) listener()
    })
  }

  /** Where a program runs; undefined if it is here. Takes it over if its owner is gone. @throws GatewayError STORE_UNAVAILABLE */
  async homeOf({ id, name, hasNoLogin, limits }: ServerDefinition): Promise<ProgramHome | undefined> {
    // A program that is only tried out, or started by a command line that serves no clients, does not concern the other gateways.
    if (hasNoLogin === true || !this.#parts.replicas.isAnnounced) return undefined
    const end = performance.now() + limits.startTimeoutMs
    while (performance.now() < end) {
      const ownerId = await this.#ownerOf(id)
      if (ownerId === this.#parts.replicas.id) return undefined
      const owner = await this.#parts.replicas.find(ownerId)
      if (owner !== undefined && !owner.isLeaving) return this.#homeIn(owner, id)
      if (owner === undefined) await this.#takeOver(id, ownerId)
      // One that is about to stop hands the program over when its calls have ended.
      else await delay(POLL_MS)
    }
    throw new GatewayError('SERVER_START_FAILED', {
      server: name,
      reason: `"${name}" is being handed over by another gateway, which takes long`,
      remedy: 'Try again',
    })
  }

  /** Whether the database says that the program runs here. */
  async isHere(serverId: string): Promise<boolean> {
    return (await this.#ownerOf(serverId)) === this.#parts.replicas.id
  }

  /** Hands a program, which has ended here, over to another gateway. */
  async handOver(serverId: string): Promise<void> {
    const { replicas, repository } = this.#parts
    const next = replicas.another()
    if (next !== undefined) await repository.claim(subjectOf(serverId), next.id, replicas.id, NEVER)
  }

  /** The gateway that may send a request to a program here; undefined if the authorization is not valid. */
  senderOf(authorization: string | undefined, serverId: string): string | undefined {
    const { keys, replicas } = this.#parts
    const sent = unseal(authorization?.replace(/^Bearer /, '') ?? '', PURPOSE, keys)
    const [fromId, toId, forId, at] = Array.isArray(sent) ? (sent as unknown[]) : []
    const isFresh = typeof at === 'number' && Math.abs(replicas.now() - at) <= VALID_MS
    return isFresh && toId === replicas.id && forId === serverId ? String(fromId) : undefined
  }

  /** The owner; the first gateway that asks becomes it. */
  async #ownerOf(serverId: string): Promise<string> {
    const { replicas, repository } = this.#parts
    try {
      const found = (await repository.find(subjectOf(serverId)))?.ownerId
      const ownerId = found ?? (await this.#claim(serverId, ''))
      this.#known.set(serverId, ownerId)
      return ownerId
    } catch (error) {
      const known = this.#known.get(serverId)
      // Without the database nothing is taken over: the program might run twice.
      if (known === undefined || (known !== replicas.id && (await replicas.find(known)) === undefined)) throw error
      return known
    }
  }

  async #takeOver(serverId: string, fromId: string): Promise<void> {
    this.#known.set(serverId, await this.#claim(serverId, fromId))
  }

  /** A gateway that is about to stop claims for another one. */
  async #claim(serverId: string, fromId: string): Promise<string> {
    const { replicas, repository } = this.#parts
    const { id } = (replicas.isLeaving ? replicas.another() : undefined) ?? replicas
    return (await repository.claim(subjectOf(serverId), id, fromId, NEVER)).ownerId ?? id
  }

  #homeIn({ id, url }: Replica, serverId: string): ProgramHome {
    const { replicas, keys } = this.#parts
    return {
      url: `${url.replace(/\/$/, '')}/${PROGRAMS_PATH}/${encodeURIComponent(serverId)}`,
      authorization: () => `Bearer ${seal([replicas.id, id, serverId, Math.round(replicas.now())], PURPOSE, keys)}`,
      unreachable: () => replicas.unreachable(id),
      onGone: (listener) => {
        this.#whenGone.set(listener, id)
        return () => void this.#whenGone.delete(listener)
      },
    }
  }
}

const subjectOf = (serverId: string): string => `program ${serverId}`
