import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GatewayError } from '../../errors.ts'
import { ContextCosts, sumByClient } from '../../exposure/context-costs.ts'
import type { ClientCost } from '../../model/context-cost.ts'
import type { CostRepository, KeptCosts } from '../../model/store.ts'
import { CostLedger } from './cost-ledger.ts'

const DAY = 86_400_000
const START = 20_000 * DAY
const answer = { content: [{ type: 'text', text: '12345678' }] }
const reader = (tokenId: string, clientName?: string) => ({
  ...{ endpointId: 'e', projectId: 'p', tokenId },
  ...(clientName !== undefined && { clientName }),
})

/** A database that can be made unavailable. */
class Database implements CostRepository {
  readonly added = new Map<string, readonly ClientCost[]>()
  readonly pruned: number[] = []
  failure: Error | undefined
  /** Stores batches without confirming them. */
  isSilent = false

  async add(costs: readonly ClientCost[], _at: number, batchId: string): Promise<void> {
    if (this.failure !== undefined && !this.isSilent) throw this.failure
    this.added.set(batchId, costs)
    if (this.failure !== undefined) throw this.failure
  }

  async sums(): Promise<KeptCosts> {
    if (this.failure !== undefined) throw this.failure
    return { since: START - 7, costs: sumByClient([...this.added.values()].flat()) }
  }

  async prune(before: number): Promise<void> {
    this.pruned.push(before)
  }
}

const away = (): GatewayError => new GatewayError('STORE_UNAVAILABLE', { place: 'x', reason: 'it is away' })

describe('CostLedger', () => {
  let database: Database
  let counted: ContextCosts
  let ledger: CostLedger
  let now: number
  let reported: unknown[]
  const open = (): CostLedger =>
    new CostLedger({
      ...{ counted, repository: database, now: () => now, keepMs: () => 90 * DAY, flushMs: 1_000_000 },
      onProblem: (error) => reported.push(error),
    })
  beforeEach(() => {
    database = new Database()
    counted = new ContextCosts()
    now = START
    reported = []
    ledger = open()
  })
  afterEach(() => ledger.stop())
  const searches = async () => (await ledger.totals()).costs.map(({ client, cost }) => [client.tokenId, cost.searches])

  it('sums up this run and previous ones, with the start date', async () => {
    counted.searched(reader('a'), answer)
    await ledger.stop()
    now += DAY
    counted = new ContextCosts()
    ledger = open()
    counted.searched(reader('a'), answer)
    counted.searched(reader('b'), answer)
    const { since, costs } = await ledger.totals()
    expect(since).toBe(START - 7)
    expect(costs).toMatchObject([
      { client: { tokenId: 'a' }, cost: { searches: 2, ofSearches: 4 } },
      { client: { tokenId: 'b' }, cost: { searches: 1 } },
    ])
    expect(counted.all()).toEqual([])
  })

  it('loses nothing and counts nothing twice while the database is unavailable', async () => {
    counted.searched(reader('a'), answer)
    expect(await searches()).toEqual([['a', 1]])
    database.failure = away()
    counted.searched(reader('a'), answer)
    expect(await ledger.flush()).toBe(false)
    counted.searched(reader('a'), answer)
    counted.searched(reader('b'), answer)
    const expected = [
      ['a', 3],
      ['b', 1],
    ]
    expect(await searches()).toEqual(expected)
    expect(reported).toEqual([database.failure])
    database.failure = undefined
    expect(await searches()).toEqual(expected)
    expect(await ledger.flush()).toBe(true)
    expect(await searches()).toEqual(expected)
  })

  it('sends an unconfirmed batch again under the same id', async () => {
    database.failure = away()
    database.isSilent = true
    counted.searched(reader('a'), answer)
    await ledger.flush()
    await ledger.flush()
    database.failure = undefined
    expect(await searches()).toEqual([['a', 1]])
    expect(database.added.size).toBe(1)
  })

  it('continues after costs that the database will never accept', async () => {
    database.failure = new Error('refused')
    counted.searched(reader('a'), answer)
    expect(await ledger.flush()).toBe(true)
    expect(await searches()).toEqual([['a', 1]])
    database.failure = undefined
    counted.searched(reader('b'), answer)
    await ledger.flush()
    expect([...database.added.values()].flat().map(({ client }) => client.tokenId)).toEqual(['b'])
  })

  it('starts counting at the start of the gateway if nothing is stored', async () => {
    database.failure = away()
    expect(await ledger.totals()).toEqual({ since: START, costs: [] })
  })

  it('counts clients without their names when there are too many on one day', async () => {
    const name = async (from: number) => {
      for (let nth = from; nth < from + 600; nth++) counted.searched(reader('a', `client ${nth}`), answer)
      await ledger.flush()
    }
    await name(0)
    await name(600)
    const { costs } = await ledger.totals()
    expect(costs).toHaveLength(1_001)
    expect(costs.find(({ client }) => client.clientName === undefined)?.cost.searches).toBe(200)
    now += DAY
    await name(2_000)
    expect((await ledger.totals()).costs).toHaveLength(1_601)
  })

  it('removes old days once a day, after a write', async () => {
    await ledger.flush()
    expect(database.pruned).toEqual([])
    for (const later of [0, 1, DAY]) {
      now = START + later
      counted.searched(reader('a'), answer)
      await ledger.flush()
    }
    expect(database.pruned).toEqual([START - 90 * DAY, START + DAY - 90 * DAY])
  })
})
