import { randomBytes } from 'node:crypto'
import type { Replica, ReplicaRepository, SeenReplica } from '../../model/replicas.ts'
import type { ClientLog } from '../mcp/rpc-errors.ts'

/** How often a replica gives a sign of life. */
const BEAT_MS = 2_000
/** A replica counts as gone if it gave no sign of life for this long before the last one of ours. */
const GONE_AFTER_MS = 15_000
const ID_BYTES = 9
/** In characters. */
export const REPLICA_ID_LENGTH = (ID_BYTES / 3) * 4

/** The dependencies of {@link Replicas}. */
export interface ReplicasParts {
  /** Absent where no other gateway can share the database. */
  readonly repository?: Pick<ReplicaRepository, 'beat' | 'remove'> | undefined
  readonly log: ClientLog
  readonly beatMs?: number
  readonly goneAfterMs?: number
  /** The clock of this machine, in epoch milliseconds. */
  readonly clock?: () => number
}

/** The gateways that share the database with this one. Without a repository there is only this one. */
export class Replicas {
  readonly id = randomBytes(ID_BYTES).toString('base64url')
  readonly #parts: ReplicasParts
  readonly #onGone = new Set<(id: string) => void>()
  #others: ReadonlyMap<string, SeenReplica> = new Map()
  /** Replicas that could not be reached, with their last sign of life at that time. */
  readonly #unreachable = new Map<string, number>()
  readonly #clock: () => number
  #own: Replica | undefined
  #ahead = 0
  #lastBeatAt = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #reading: Promise<void> | undefined
  #hasFailed = false

  constructor(parts: ReplicasParts) {
    this.#parts = parts
    this.#clock = parts.clock ?? Date.now
  }

  /** The time that all replicas share: the database's. */
  now(): number {
    return this.#clock() + this.#ahead
  }

  /** Whether the others know this replica: it listens. */
  get isAnnounced(): boolean {
    return this.#own !== undefined
  }

  get isLeaving(): boolean {
    return this.#own?.isLeaving === true
  }

  /** Announces this replica. From then on the others find it. */
  async start(url: string): Promise<void> {
    if (this.#parts.repository === undefined) return
    this.#own = { id: this.id, url, isLeaving: false }
    await this.#read()
    this.#timer = setInterval(() => void this.#read(), this.#parts.beatMs ?? BEAT_MS).unref()
  }

  /** Tells the others that this replica takes nothing new. Resolves to whether there are others that do. */
  async leave(): Promise<boolean> {
    if (this.#own === undefined) return false
    this.#own = { ...this.#own, isLeaving: true }
    // A reading that has begun announced the state before.
    await this.#reading
    await this.#read()
    return this.another() !== undefined
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#own === undefined) return
    this.#own = undefined
    await this.#reading
    await this.#parts.repository?.remove(this.id).catch(() => undefined)
  }

  /** Another replica by its id, if it runs. Asks the database for one that is not known yet. */
  async find(id: string): Promise<Replica | undefined> {
    if (this.#own === undefined || id === this.id) return undefined
    if (!this.#others.has(id)) {
      // A reading that has begun may be older than the replica.
      await this.#reading
      await this.#read()
    }
    return this.#alive(id)
  }

  /** A replica that takes something new. */
  another(): Replica | undefined {
    const candidates = [...this.#others.keys()].flatMap((id) => this.#alive(id) ?? []).filter((each) => !each.isLeaving)
    return candidates[Math.floor(Math.random() * candidates.length)]
  }

  /** A replica that does not answer counts as gone until its next sign of life. */
  unreachable(id: string): void {
    this.#unreachable.set(id, this.#others.get(id)?.seenAt ?? 0)
  }

  /** Calls the listener when a replica is gone. */
  onGone(listener: (id: string) => void): void {
    this.#onGone.add(listener)
  }

  #alive(id: string): Replica | undefined {
    const found = this.#others.get(id)
    if (found === undefined) return undefined
    return (this.#unreachable.get(id) ?? Number.NEGATIVE_INFINITY) < found.seenAt ? found : undefined
  }

  #read(): Promise<void> {
    this.#reading ??= this.#beat().finally(() => (this.#reading = undefined))
    return this.#reading
  }

  async #beat(): Promise<void> {
    const { repository, log } = this.#parts
    if (repository === undefined || this.#own === undefined) return
    try {
      const { now, replicas } = await repository.beat(this.#own)
      this.#ahead = now - this.#clock()
      // Compared with our previous sign: after an outage of the database, those of all others are old.
      const since = Math.min(this.#lastBeatAt, now) - (this.#parts.goneAfterMs ?? GONE_AFTER_MS)
      this.#lastBeatAt = now
      const before = this.#others
      const others = replicas.filter(({ id, seenAt }) => id !== this.id && seenAt >= since)
      this.#others = new Map(others.map((each) => [each.id, each]))
      for (const id of before.keys()) if (!this.#others.has(id)) this.#gone(id)
      this.#hasFailed = false
    } catch (error) {
      if (!this.#hasFailed)
        log.warn({ error: String(error) }, 'the other replicas are not known; the last ones are used')
      this.#hasFailed = true
    }
  }

  #gone(id: string): void {
    this.#unreachable.delete(id)
    for (const listener of this.#onGone) listener(id)
  }
}
