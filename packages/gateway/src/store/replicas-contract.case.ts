import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Replica, ReplicaRepository } from '../model/replicas.ts'
import { type StoreUnderTest, TIME_LIMIT_MS } from './store-contract.case.ts'

const replicaOf = (id: string, isLeaving = false): Replica => ({ id, url: `http://${id}`, isLeaving })
const LATER = Date.now() + 1_000_000_000

/** The contract of every repository of replicas. */
export function describeReplicas(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the ReplicaRepository contract`, { timeout: TIME_LIMIT_MS }, () => {
    let place: StoreUnderTest
    let one: ReplicaRepository
    let other: ReplicaRepository
    beforeEach(async () => {
      place = await make()
      one = (await place.open()).replicas
      other = (await place.open()).replicas
    }, TIME_LIMIT_MS)
    afterEach(() => place.end(), TIME_LIMIT_MS)

    it('tells replicas of each other, with the time of the database', async () => {
      const first = await one.beat(replicaOf('a'))
      const second = await other.beat(replicaOf('b', true))
      expect(second.now).toBeGreaterThanOrEqual(first.now)
      expect(Math.abs(second.now - Date.now())).toBeLessThan(60_000)
      expect(second.replicas.toSorted((x, y) => x.id.localeCompare(y.id))).toEqual([
        { ...replicaOf('a'), seenAt: first.now },
        { ...replicaOf('b', true), seenAt: second.now },
      ])
      await one.remove('a')
      expect((await other.beat(replicaOf('b'))).replicas.map(({ id }) => id)).toEqual(['b'])
    })

    it('lets one of several replicas take a session over', async () => {
      const claims = await Promise.all(
        Array.from({ length: 8 }, (_, n) => (n % 2 === 0 ? one : other).claim('s', `r${n}`, 'dead', LATER)),
      )
      const owners = new Set(claims.map(({ ownerId }) => ownerId))
      expect(owners.size).toBe(1)
      const [ownerId = ''] = owners
      expect(await one.find('s')).toEqual({ ownerId, hasEnded: false })
      expect(await one.claim('s', 'next', 'not the owner', LATER)).toMatchObject({ ownerId })
      expect(await one.claim('s', 'next', ownerId, LATER)).toMatchObject({ ownerId: 'next' })
    })

    it('keeps the state for the next owner, and an end for good', async () => {
      await one.keep('s', 'first', LATER)
      await one.keep('s', 'second', LATER)
      expect(await other.claim('s', 'b', 'a', LATER)).toEqual({ ownerId: 'b', hasEnded: false, state: 'second' })
      await one.end('s', LATER)
      expect(await other.find('s')).toEqual({ hasEnded: true })
      expect(await other.claim('s', 'c', 'b', LATER)).toEqual({ hasEnded: true })
    })

    it('forgets what is over', async () => {
      await one.end('old', Date.now() - 1_000_000)
      await other.end('new', LATER)
      expect(await other.find('old')).toBeUndefined()
      expect(await other.find('new')).toEqual({ hasEnded: true })
    })
  })
}
