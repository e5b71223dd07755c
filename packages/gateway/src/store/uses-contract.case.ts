import { MOST_USES, MOST_USES_OF_CALLER, usedAgain } from '@tooldex/search'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StoredUse, UseRepository } from '../model/learned-use.ts'
import { type StoreUnderTest, TIME_LIMIT_MS } from './store-contract.case.ts'

/** A use with overrides. */
function useOf(use: Partial<StoredUse> = {}): StoredUse {
  const base = { projectId: 'p', query: 'open a ticket', toolKey: 'tracker:create', tokenId: 'alice' }
  return { ...base, weight: 0.5, at: 1_000, ...use }
}

const DAY = 86_400_000
const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\0', '\ud800', 'x'.repeat(5_000)))
const anyUse: fc.Arbitrary<StoredUse> = fc.record({
  ...{ projectId: fc.constantFrom('p', 'q', '\0'), query: anyText, toolKey: anyText, tokenId: anyText },
  ...{ weight: fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true }), at: fc.nat() },
})
const sorted = (uses: readonly StoredUse[]) => uses.map((use) => JSON.stringify(Object.entries(use).sort())).sort()

/** The contract of every repository of learnt uses. */
export function describeUses(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the UseRepository contract`, { timeout: TIME_LIMIT_MS }, () => {
    let place: StoreUnderTest
    let uses: UseRepository
    beforeEach(async () => {
      place = await make()
      uses = (await place.open()).learned
    }, TIME_LIMIT_MS)
    afterEach(() => place.end(), TIME_LIMIT_MS)

    it('starts empty', async () => {
      expect(await uses.revision()).toEqual({ latest: 0, forgotten: 0 })
      expect(await uses.all('p')).toEqual([])
    })

    it('keeps uses apart for all texts', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(anyUse, {
            maxLength: 8,
            selector: ({ projectId, query, toolKey, tokenId }) => JSON.stringify([projectId, query, toolKey, tokenId]),
          }),
          async (given) => {
            for (const project of ['p', 'q', '\0']) await uses.forget(project)
            await uses.put(given)
            const kept = await Promise.all(['p', 'q', '\0'].map((project) => uses.all(project)))
            expect(sorted(kept.flat())).toEqual(sorted(given))
          },
        ),
        { numRuns: 25 },
      )
    })

    it('adds up the same use, also of other gateways and within a batch', async () => {
      const other = (await place.open()).learned
      await uses.add([useOf({ weight: 0.2 }), useOf({ weight: 0.1, at: 2_000 })], '1')
      await other.add([useOf({ weight: 0.3, at: 30 * DAY })], '2')
      const first = usedAgain({ weight: 0.2, at: 1_000 }, { weight: 0.1, at: 2_000 })
      const expected = useOf(usedAgain(first, { weight: 0.3, at: 30 * DAY }))
      expect(await uses.all('p')).toEqual([expected])
      await Promise.all([uses, other].map((each, nth) => each.add([useOf({ query: 'x', weight: 0.25 })], `3${nth}`)))
      expect((await uses.all('p')).find(({ query }) => query === 'x')?.weight).toBe(0.5)
    })

    it('adds a batch once, and more uses than fit into one statement', async () => {
      const many = Array.from({ length: 450 }, (_, nth) => useOf({ query: `query ${nth}`, tokenId: `t${nth % 9}` }))
      await uses.add(many, 'batch')
      await uses.add(many, 'batch')
      expect(sorted(await uses.all('p'))).toEqual(sorted(many))
    })

    it('numbers changes, so that another gateway reads only those', async () => {
      const other = (await place.open()).learned
      await uses.add([useOf(), useOf({ projectId: 'q' })], '1')
      const { latest } = await other.revision()
      await uses.add([useOf({ tokenId: 'bob' })], '2')
      await uses.add([useOf({ tokenId: 'carol', projectId: 'q' })], '3')
      expect(await other.changedAfter(latest, ['p'])).toEqual([useOf({ tokenId: 'bob' })])
      expect(await other.changedAfter(latest, [])).toEqual([])
      expect((await other.revision()).forgotten).toBe(0)
    })

    it('forgets what the conditions name, in one project', async () => {
      await uses.put([
        useOf(),
        useOf({ tokenId: 'bob' }),
        useOf({ query: 'close' }),
        useOf({ toolKey: 'tracker:close' }),
        useOf({ projectId: 'q' }),
      ])
      expect(await uses.forget('p', { toolKey: 'tracker:create', tokenId: 'alice', query: 'close' })).toBe(1)
      expect(await uses.forget('p', { tokenId: 'bob' })).toBe(1)
      const { latest, forgotten } = await uses.revision()
      expect(forgotten).toBe(latest)
      expect(await uses.forget('p')).toBe(2)
      expect(await uses.all('q')).toEqual([useOf({ projectId: 'q' })])
    })

    it('U13: keeps the latest uses of a project and of a caller', async () => {
      const bulk = (from: number, count: number, tokenId?: string) =>
        Array.from({ length: count }, (_, nth) =>
          useOf({ query: `query ${from + nth}`, tokenId: tokenId ?? `t${(from + nth) % 50}`, at: from + nth }),
        )
      await uses.put([useOf({ query: 'first', tokenId: 'zoe' })])
      await uses.put(bulk(0, MOST_USES_OF_CALLER + 7, 'mallory'))
      const kept = await uses.all('p')
      expect(kept.filter(({ tokenId }) => tokenId === 'mallory')).toHaveLength(MOST_USES_OF_CALLER)
      expect(kept.some(({ query }) => query === 'query 6')).toBe(false)
      expect(kept.some(({ tokenId }) => tokenId === 'zoe')).toBe(true)
      await uses.put(bulk(10_000, MOST_USES))
      expect(await uses.all('p')).toHaveLength(MOST_USES)
    })

    it('prunes what was not repeated', async () => {
      await uses.put([useOf({ at: 5 }), useOf({ query: 'later', at: 50 })])
      await uses.prune(5)
      expect((await uses.revision()).forgotten).toBe(0)
      await uses.prune(50)
      expect(await uses.all('p')).toEqual([useOf({ query: 'later', at: 50 })])
      expect((await uses.revision()).forgotten).toBeGreaterThan(0)
    })
  })
}
