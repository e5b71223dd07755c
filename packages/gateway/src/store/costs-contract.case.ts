import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ClientCost } from '../model/context-cost.ts'
import type { CostRepository } from '../model/store.ts'
import { type StoreUnderTest, TIME_LIMIT_MS } from './store-contract.case.ts'

const DAY = 86_400_000
const NOTHING = { lists: 0, searches: 0, ifAllWereListed: 0, ofLists: 0, ofSearches: 0, ofSchemas: 0 }

/** The cost of a client, with overrides. */
function costOf(client: Partial<ClientCost['client']>, cost: Partial<ClientCost['cost']> = {}): ClientCost {
  return { client: { endpointId: 'e', projectId: 'p', tokenId: 't', ...client }, cost: { ...NOTHING, ...cost } }
}

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\0', '\ud800', 'x'.repeat(5_000)))
const anyCost: fc.Arbitrary<ClientCost> = fc.record({
  client: fc.record(
    { endpointId: anyText, projectId: anyText, tokenId: anyText, clientName: anyText },
    { requiredKeys: ['endpointId', 'projectId', 'tokenId'] },
  ),
  cost: fc.record({
    ...{ lists: fc.nat(), searches: fc.nat(), ifAllWereListed: fc.nat({ max: 1e12 }) },
    ...{ ofLists: fc.nat(), ofSearches: fc.nat(), ofSchemas: fc.nat() },
  }),
}) as fc.Arbitrary<ClientCost>

/** Sorted by client. */
const sorted = (costs: readonly ClientCost[]) =>
  costs.map((each) => JSON.stringify([each.client.clientName ?? null, each])).toSorted()

/** The contract of every repository of costs. */
export function describeCosts(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the CostRepository contract`, { timeout: TIME_LIMIT_MS }, () => {
    let place: StoreUnderTest
    let costs: CostRepository
    beforeEach(async () => {
      place = await make()
      costs = (await place.open()).costs
    }, TIME_LIMIT_MS)
    afterEach(() => place.end(), TIME_LIMIT_MS)

    it('starts empty', async () => {
      expect(await costs.sums()).toEqual({ costs: [] })
    })

    it('sums up clients, days and gateways, with the start date', async () => {
      const other = (await place.open()).costs
      await costs.add(
        [costOf({}, { lists: 1, ofLists: 5 }), costOf({ clientName: 'c' }, { lists: 7 })],
        3 * DAY + 9,
        '1',
      )
      await other.add([costOf({}, { lists: 2, ofSearches: 4 })], 3 * DAY + 5, '2')
      await other.add([costOf({}, { lists: 1, ifAllWereListed: 2 ** 40 })], 5 * DAY, '3')
      const { since, costs: sums } = await costs.sums()
      expect(since).toBe(3 * DAY + 9)
      expect(sorted(sums)).toEqual(
        sorted([
          costOf({}, { lists: 4, ofLists: 5, ofSearches: 4, ifAllWereListed: 2 ** 40 }),
          costOf({ clientName: 'c' }, { lists: 7 }),
        ]),
      )
    })

    it('keeps clients apart for all names', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(anyCost, { maxLength: 8, selector: ({ client }) => JSON.stringify(Object.entries(client)) }),
          fc.uuid(),
          async (given, id) => {
            await costs.prune(Number.MAX_SAFE_INTEGER)
            await costs.add(given, 1, id)
            expect(sorted((await costs.sums()).costs)).toEqual(sorted(given))
          },
        ),
        { numRuns: 25 },
      )
    })

    it('adds a batch once, and more clients than fit into one statement', async () => {
      const many = Array.from({ length: 450 }, (_, nth) => costOf({ tokenId: `t${nth}` }, { searches: nth }))
      await costs.add(many, 1, 'batch')
      await costs.add(many, 1, 'batch')
      await costs.add([], 1, 'empty')
      expect(sorted((await costs.sums()).costs)).toEqual(sorted(many))
    })

    it('removes whole days only', async () => {
      for (const day of [1, 2, 3]) await costs.add([costOf({}, { lists: 1 })], day * DAY + 7, `of day ${day}`)
      await costs.prune(2 * DAY + DAY / 2)
      expect(await costs.sums()).toEqual({ since: 2 * DAY + 7, costs: [costOf({}, { lists: 2 })] })
    })
  })
}
