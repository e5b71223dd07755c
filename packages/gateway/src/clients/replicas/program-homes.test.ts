import { afterEach, describe, expect, it, vi } from 'vitest'
import { definitionOf, FakePool } from '../../catalog/fake-pool.case.ts'
import type { Owned, Replica, ReplicaRepository, SeenReplica } from '../../model/replicas.ts'
import { ProgramHomes } from './program-homes.ts'
import { ProgramHost } from './program-host.ts'
import { Replicas } from './replicas.ts'

const KEY = Buffer.alloc(32, 1)
const LOG = { warn: () => {}, error: () => {}, info: () => {} }
const PROGRAM = definitionOf('notes', { placement: 'one' })

/** What replicas share, in memory. */
class FakeRepository implements Pick<ReplicaRepository, 'beat' | 'remove' | 'find' | 'claim'> {
  readonly replicas = new Map<string, SeenReplica>()
  readonly owners = new Map<string, string>()
  isAway = false

  async beat(own: Replica): Promise<{ now: number; replicas: readonly SeenReplica[] }> {
    this.#here()
    this.replicas.set(own.id, { ...own, seenAt: Date.now() })
    return { now: Date.now(), replicas: [...this.replicas.values()] }
  }

  async remove(id: string): Promise<void> {
    this.replicas.delete(id)
  }

  async find(subject: string): Promise<Owned | undefined> {
    this.#here()
    const ownerId = this.owners.get(subject)
    return ownerId === undefined ? undefined : { ownerId, hasEnded: false }
  }

  async claim(subject: string, ownerId: string, from: string): Promise<Owned> {
    this.#here()
    const now = this.owners.get(subject)
    if (now === undefined || now === from) this.owners.set(subject, ownerId)
    return { ownerId: this.owners.get(subject) ?? '', hasEnded: false }
  }

  #here(): void {
    if (this.isAway) throw new Error('the database is away')
  }
}

async function replicaOn(repository: FakeRepository, url: string, key = KEY) {
  const replicas = new Replicas({ repository, log: LOG, beatMs: 60_000 })
  await replicas.start(url)
  return { replicas, homes: new ProgramHomes({ replicas, repository, keys: () => [key] }) }
}

/** Two replicas, of which the first has the program. */
async function two() {
  const repository = new FakeRepository()
  const first = await replicaOn(repository, 'http://first')
  const second = await replicaOn(repository, 'http://second')
  expect(await first.homes.homeOf(PROGRAM)).toBeUndefined()
  return { repository, first, second }
}

describe('the home of a program that runs in one gateway', () => {
  afterEach(() => void vi.useRealTimers())

  it('is the first that needs it, for all others', async () => {
    const { second } = await two()
    expect((await second.homes.homeOf(PROGRAM))?.url).toBe('http://first/replica-programs/notes')
  })

  it('is another one when the first is gone, and the one that claims it first', async () => {
    const { repository, first, second } = await two()
    const third = await replicaOn(repository, 'http://third')
    const home = await second.homes.homeOf(PROGRAM)
    home?.unreachable()
    third.replicas.unreachable(first.replicas.id)
    const homes = await Promise.all([second.homes.homeOf(PROGRAM), third.homes.homeOf(PROGRAM)])
    expect(homes.filter((each) => each === undefined)).toHaveLength(1)
  })

  it('stays what it was while the database is away, and is nowhere for a program that was never placed', async () => {
    const { repository, first, second } = await two()
    await second.homes.homeOf(PROGRAM)
    repository.isAway = true
    expect(await first.homes.homeOf(PROGRAM)).toBeUndefined()
    expect((await second.homes.homeOf(PROGRAM))?.url).toContain('http://first')
    await expect(second.homes.homeOf(definitionOf('new', { placement: 'one' }))).rejects.toThrow('away')
    second.replicas.unreachable(first.replicas.id)
    await expect(second.homes.homeOf(PROGRAM)).rejects.toThrow('away')
  })

  it('is waited for while one that stops hands the program over', async () => {
    const { first, second } = await two()
    await first.replicas.leave()
    await second.replicas.stop()
    await second.replicas.start('http://second')
    let home: unknown = 'unknown'
    const waiting = second.homes.homeOf(PROGRAM).then((found) => (home = found))
    await new Promise((resolve) => setImmediate(resolve))
    expect(home).toBe('unknown')
    await first.homes.handOver('notes')
    expect(await waiting).toBeUndefined()
  })

  it('is here for a program that is only tried out, and for a gateway that does not listen', async () => {
    const { repository, second } = await two()
    expect(await second.homes.homeOf({ ...PROGRAM, hasNoLogin: true })).toBeUndefined()
    const replicas = new Replicas({ repository, log: LOG })
    const silent = new ProgramHomes({ replicas, repository, keys: () => [KEY] })
    expect(await silent.homeOf(PROGRAM)).toBeUndefined()
    expect(repository.owners.size).toBe(1)
  })

  it('takes requests of gateways with the same key, for this gateway and program, for a minute', async () => {
    vi.useFakeTimers()
    const { repository, first, second } = await two()
    const sent = (await second.homes.homeOf(PROGRAM))?.authorization()
    expect(first.homes.senderOf(sent, 'notes')).toBe(second.replicas.id)
    expect(first.homes.senderOf(sent, 'other')).toBeUndefined()
    expect(second.homes.senderOf(sent, 'notes')).toBeUndefined()
    expect(first.homes.senderOf(undefined, 'notes')).toBeUndefined()
    expect(first.homes.senderOf('Bearer tdx_a-token', 'notes')).toBeUndefined()
    const stranger = await replicaOn(repository, 'http://stranger', Buffer.alloc(32, 2))
    expect(first.homes.senderOf((await stranger.homes.homeOf(PROGRAM))?.authorization(), 'notes')).toBeUndefined()
    vi.setSystemTime(Date.now() + 61_000)
    expect(first.homes.senderOf(sent, 'notes')).toBeUndefined()
  })
})

describe('a gateway that runs a program', () => {
  afterEach(() => void vi.useRealTimers())

  it('ends it if another one has taken it over meanwhile', async () => {
    vi.useFakeTimers()
    const { repository, first, second } = await two()
    const pool = new FakePool()
    const server = Object.assign(pool.add(PROGRAM), { serverInfo: () => undefined })
    vi.spyOn(server, 'status').mockReturnValue({ ...server.status(), pid: 1 })
    const restart = vi.spyOn(server, 'restart')
    const named = { get: () => server, all: () => [server], onEvent: pool.onEvent.bind(pool) }
    const host = new ProgramHost({ homes: first.homes, pool: named, keys: () => [KEY], log: LOG })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(restart).not.toHaveBeenCalled()
    repository.owners.set('program notes', second.replicas.id)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(restart).toHaveBeenCalledOnce()
    await host.close()
  })

  it('ends it and names the next one when it stops', async () => {
    const { repository, first, second } = await two()
    const pool = new FakePool()
    const server = Object.assign(pool.add(PROGRAM), { serverInfo: () => undefined })
    const named = { get: () => server, all: () => [server], onEvent: pool.onEvent.bind(pool) }
    const host = new ProgramHost({ homes: first.homes, pool: named, keys: () => [KEY], log: LOG })
    await first.replicas.stop()
    await first.replicas.start('http://first')
    await host.leave(AbortSignal.timeout(1_000))
    expect(server.status().state).toBe('stopped')
    expect(repository.owners.get('program notes')).toBe(second.replicas.id)
    await host.close()
  })
})
