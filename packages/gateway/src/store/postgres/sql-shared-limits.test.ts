import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../model/store.ts'
import type { SharedLimits } from '../../model/shared-limits.ts'
import { TIME_LIMIT_MS } from '../store-contract.case.ts'
import { type PostgresUnderTest, postgresUnderTest } from './postgres-under-test.case.ts'

describe('limits of all replicas in PostgreSQL', { timeout: TIME_LIMIT_MS }, () => {
  let place: PostgresUnderTest
  let stores: readonly Store[]
  const limitsOf = (at: number): SharedLimits => {
    const limits = stores[at]?.limits
    if (limits === undefined) throw new Error('the store has no shared limits')
    return limits
  }
  beforeAll(async () => {
    place = await postgresUnderTest()
    stores = [await place.open(), await place.open()]
  }, TIME_LIMIT_MS)
  afterAll(() => place.end(), TIME_LIMIT_MS)

  const granted = async (at: number, key: string, wanted: number, returned = 0): Promise<number> => {
    const [lease] = await limitsOf(at).lease([{ key, perMinute: 10, wanted, returned }])
    return lease?.granted ?? -1
  }

  it('grants what a bucket has, to whichever replica asks first, and no more', async () => {
    expect([await granted(0, 'a', 6), await granted(1, 'a', 6), await granted(0, 'a', 6)]).toEqual([6, 4, 0])
    expect(await granted(1, 'b', 20)).toBe(10)
    const [lease] = await limitsOf(0).lease([{ key: 'a', perMinute: 10, wanted: 1, returned: 0 }])
    expect(lease?.nextMs).toBeGreaterThan(3_000)
    expect(lease?.nextMs).toBeLessThanOrEqual(6_000)
  })

  it('takes tokens back, up to the size of the bucket', async () => {
    expect(await granted(0, 'c', 8)).toBe(8)
    expect(await granted(1, 'c', 0, 3)).toBe(0)
    expect(await granted(1, 'c', 9)).toBe(5)
    expect(await granted(1, 'c', 0, 1_000)).toBe(0)
    expect(await granted(0, 'c', 20)).toBe(10)
  })

  it('refills by the clock of the database, also if that was set back', async () => {
    await granted(0, 'd', 10)
    await place.ask(`update limit_buckets set at = at - 30 where key = 'd'`)
    expect(await granted(1, 'd', 10)).toBe(5)
    await place.ask(`update limit_buckets set at = at + 3600 where key = 'd'`)
    expect(await granted(1, 'd', 10)).toBe(0)
  })

  it('grants many keys of two replicas at once, without a deadlock', async () => {
    const asked = Array.from({ length: 50 }, (_, at) => ({ key: `k${at}`, perMinute: 10, wanted: 4, returned: 0 }))
    const rounds = Array.from({ length: 6 }, (_, at) => limitsOf(at % 2).lease(at < 3 ? asked : asked.toReversed()))
    const sums = new Map<string, number>()
    for (const leases of await Promise.all(rounds)) {
      for (const { key, granted: tokens } of leases) sums.set(key, (sums.get(key) ?? 0) + tokens)
    }
    expect(new Set(sums.values())).toEqual(new Set([10]))
    expect(sums.size).toBe(50)
  })

  it('reports replicas to each other until they leave or fall silent', async () => {
    const report = (id: string, count: number) => ({ id, version: '1', file: 'f', counts: { 'calls s': count } })
    await limitsOf(0).report(report('one', 3))
    const { now, others } = await limitsOf(1).report(report('two', 5))
    expect(others).toEqual([report('one', 3)])
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000)
    await place.ask(`update replica_reports set seen_at = seen_at - 6 where id = 'one'`)
    expect((await limitsOf(1).report(report('two', 5))).others).toEqual([])
    await limitsOf(1).leave('two')
    expect((await limitsOf(0).report(report('one', 1))).others).toEqual([])
  })

  it('reads reports of other versions', async () => {
    await place.ask(
      `insert into replica_reports values ('newer', '{"counts":{"x":"y","z":1}}', extract(epoch from clock_timestamp()))`,
    )
    const { others } = await limitsOf(0).report({ id: 'one', version: '1', file: 'f', counts: {} })
    expect(others).toEqual([{ id: 'newer', version: '', file: '', counts: { z: 1 } }])
  })
})
