import { describe, expect, it } from 'vitest'
import type { ReplicaReport, SharedLimits } from '../model/shared-limits.ts'
import { Fleet, type FleetParts } from './fleet.ts'

/** The reports of all replicas, in memory. */
class Reports implements SharedLimits {
  readonly reports = new Map<string, ReplicaReport>()
  clockMs = 0
  isAway = false

  lease = () => Promise.resolve([])
  async report(own: ReplicaReport) {
    if (this.isAway) throw new Error('away')
    this.reports.set(own.id, own)
    return { now: 1_000_000 + this.clockMs, others: [...this.reports.values()].filter(({ id }) => id !== own.id) }
  }
  async leave(id: string) {
    this.reports.delete(id)
  }
}

function fleetOn(store: Reports, over: Partial<FleetParts> = {}) {
  const logged: string[] = []
  const note = (_: object, message: string): void => void logged.push(message)
  const counts = new Map<string, number>()
  const fleet = new Fleet({
    ...{ store, version: '1', file: () => 'k.f', counts: () => counts, onShares: () => {}, now: () => 1_000_000 },
    log: { info: note, warn: note, debug: () => {} },
    ...over,
  })
  return { fleet, counts, logged }
}

describe('Fleet', () => {
  it('leaves a replica what the others do not use, and an equal part at least', async () => {
    const store = new Reports()
    const [a, b, c] = [fleetOn(store), fleetOn(store), fleetOn(store)]
    expect(a.fleet.share('calls s', 30)).toBe(30)
    b.counts.set('calls s', 12)
    c.counts.set('calls s', 3)
    for (const { fleet } of [b, c, a]) await fleet.report()
    expect([a.fleet.replicas, a.fleet.share('calls s', 30), a.fleet.share('calls other', 30)]).toEqual([3, 15, 30])
    b.counts.set('calls s', 30)
    for (const { fleet } of [b, a]) await fleet.report()
    expect(a.fleet.share('calls s', 30)).toBe(10)
    await b.fleet.stop()
    await a.fleet.report()
    expect([a.fleet.replicas, a.fleet.share('calls s', 30)]).toEqual([2, 27])
  })

  it('keeps to the last counts while the database is away', async () => {
    const store = new Reports()
    const [a, b] = [fleetOn(store), fleetOn(store)]
    b.counts.set('calls s', 20)
    await b.fleet.report()
    await a.fleet.report()
    store.isAway = true
    await a.fleet.report()
    expect([a.fleet.replicas, a.fleet.share('calls s', 30)]).toEqual([2, 15])
  })

  it('names clocks, keys, files and versions that differ, once', async () => {
    const store = new Reports()
    const a = fleetOn(store)
    await fleetOn(store, { version: '2', file: () => 'k.other' }).fleet.report()
    await fleetOn(store, { file: () => 'another key.f' }).fleet.report()
    store.clockMs = 61_000
    for (let time = 0; time < 3; time++) await a.fleet.report()
    expect(a.fleet.problems.map((each) => each.split('. ')[0])).toEqual([
      'The clock of this machine is 61 seconds behind that of the database',
      'Replicas on this database have different secret keys',
      'Replicas on this database have different configuration files',
    ])
    expect(a.logged).toHaveLength(4)
    store.clockMs = 0
    await a.fleet.report()
    expect(a.fleet.problems).toHaveLength(2)
  })
})
