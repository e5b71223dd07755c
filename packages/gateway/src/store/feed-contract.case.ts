import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StateChanges, Store } from '../model/store.ts'
import { type StoreUnderTest, TIME_LIMIT_MS } from './store-contract.case.ts'
import { endpointOf, projectOf, serverOf, tokenOf } from './stored-samples.case.ts'

const id = fc.constantFrom('a', 'b', 'c', 'd')
const act = fc.record({
  what: fc.constantFrom('server', 'project', 'endpoint', 'token', 'setting', 'order', 'pins'),
  id,
  ids: fc.uniqueArray(id),
  isRemoval: fc.boolean(),
  text: fc.string({ maxLength: 5 }),
})
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never

async function make(changes: StateChanges, { what, id, ids, isRemoval, text }: Act): Promise<unknown> {
  if (what === 'order') return changes.orderServers(ids)
  if (what === 'pins') return changes.putPins([])
  if (what === 'setting') return changes.putSetting(id, isRemoval ? undefined : text)
  if (what === 'server') return isRemoval ? changes.removeServer(id) : changes.putServer(serverOf(id, { name: text }))
  if (what === 'token') return isRemoval ? changes.removeToken(id) : changes.putToken(tokenOf(id, { name: text }))
  if (what === 'endpoint')
    return isRemoval ? changes.removeEndpoint(id) : changes.putEndpoint(endpointOf(id, { project: text }))
  const project = projectOf(id, { servers: ids, tools: { [`${id}:${text}`]: { allowed: false } } })
  return isRemoval ? changes.removeProject(id) : changes.putProject(project)
}

/** How gateways follow the changes of each other. */
export function describeFeed(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} has a feed of changes`, { timeout: TIME_LIMIT_MS }, () => {
    let place: StoreUnderTest
    let store: Store
    beforeEach(async () => {
      place = await open()
      store = await place.open()
    }, TIME_LIMIT_MS)
    afterEach(() => place.end(), TIME_LIMIT_MS)

    it('tells how long the changes of others took, and nothing of own ones', async () => {
      const other = await place.open()
      const [lags, own]: [number[], number[]] = [[], []]
      other.onLag((ms) => lags.push(ms))
      store.onLag((ms) => own.push(ms))
      await store.change((changes) => changes.putServer(serverOf('s')))
      await other.refresh()
      await expect.poll(() => lags).toHaveLength(1)
      expect(lags[0]).toBeGreaterThanOrEqual(0)
      expect(lags[0]).toBeLessThan(TIME_LIMIT_MS)
      expect(own).toEqual([])
      // A change of an earlier release has no time.
      const { revision } = store.current()
      await place.run('update store_state set revision = revision + 1')
      expect((await other.refresh()).revision).toBe(revision + 1)
      expect(lags).toHaveLength(1)
    })

    it('[U19] leads every gateway to the state that a new one reads as a whole, after any changes', async () => {
      const other = await place.open()
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ acts: fc.array(act, { minLength: 1, maxLength: 4 }), isSeen: fc.boolean() })),
          async (transactions) => {
            for (const { acts, isSeen } of transactions) {
              await store.change(async (changes) => {
                for (const each of acts) await make(changes, each)
              })
              if (isSeen) await other.refresh()
            }
            await other.refresh()
            const fresh = await place.open()
            expect(store.current()).toEqual(fresh.current())
            expect(other.current()).toEqual(fresh.current())
            await fresh.close()
          },
        ),
        { numRuns: 15 },
      )
    })

    it('[U19] reads everything once where changes are missing: they were removed, or an older release made them', async () => {
      const other = await place.open()
      await store.change((changes) => changes.putToken(tokenOf('one')))
      await store.change((changes) => changes.putToken(tokenOf('two')))
      await place.run('delete from state_changes')
      await place.run('update store_state set revision = revision + 1')
      await place.run(`update tokens set name = 'by an older release' where id = 'one'`)
      const tokens = Array.from((await other.refresh()).tokens, ({ name }) => name)
      expect(tokens.toSorted()).toEqual(['by an older release', 'two'])
      expect(other.current()).toEqual((await place.open()).current())
      // A change on top of what an older release made is complete as well.
      await store.change((changes) => changes.putToken(tokenOf('three')))
      expect(store.current()).toEqual((await place.open()).current())
      expect(store.current().tokens.size).toBe(3)
    })

    it('[U19] keeps entries that did not change as the same objects, also when everything is read', async () => {
      await store.change(async (changes) => {
        await changes.putServer(serverOf('s'))
        await changes.putProject(projectOf('p'))
        await changes.putToken(tokenOf('t'))
      })
      const other = await place.open()
      const before = other.current()
      await store.change((changes) => changes.putToken(tokenOf('new')))
      const after = await other.refresh()
      expect([after.servers, after.projects, after.endpoints]).toEqual([before.servers, before.projects, []])
      expect(after.servers).toBe(before.servers)
      expect(after.tokens.get('t')).toBe(before.tokens.get('t'))
      await place.run('update store_state set revision = revision + 1')
      const again = await other.refresh()
      expect(again.revision).toBe(after.revision + 1)
      expect([again.servers, again.tokens, again.settings]).toEqual([after.servers, after.tokens, after.settings])
      expect(again.servers).toBe(after.servers)
      expect(again.tokens).toBe(after.tokens)
    })
  })
}
