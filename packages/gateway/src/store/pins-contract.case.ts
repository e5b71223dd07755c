import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Pin, PinChange, PinRepository } from '../model/pins.ts'
import type { Store } from '../model/store.ts'
import { type StoreUnderTest, TIME_LIMIT_MS } from './store-contract.case.ts'

const pin = (name: string, hash: string, more: Partial<Pin> = {}): Pin => ({
  kind: 'tool',
  name,
  approved: { hash, how: 'first-seen', at: 5, changes: 0 },
  ...more,
})
const change = (each: Pin, expected: string | null, serverId = 's'): PinChange => ({
  serverId,
  pin: each,
  expected,
  definition: JSON.stringify({ name: each.name }),
})

/** The contract of every repository of pins in a store. */
export function describePins(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the PinRepository contract`, { timeout: TIME_LIMIT_MS }, () => {
    let place: StoreUnderTest
    let store: Store
    let pins: PinRepository
    beforeEach(async () => {
      place = await make()
      store = await place.open()
      pins = store.pins
    }, TIME_LIMIT_MS)
    afterEach(() => place.end(), TIME_LIMIT_MS)

    it('[U15] keeps pins with their texts, whatever their names are', async () => {
      const names = ['a', 'A', '\0', '\ud800', '__proto__', 'x'.repeat(1_024), '名前', 'a:b']
      const all = names.map((each, at) =>
        pin(each, `h${at}`, {
          approved: { hash: `h${at}`, how: 'recorded', by: 'Ada', at, changes: 2, claims: ['readOnlyHint'] },
        }),
      )
      expect(await pins.record(all.map((each) => change(each, null)))).toEqual(new Set())
      const loaded = await (await place.open()).pins.load('s')
      const byHash = (one: Pin, other: Pin): number =>
        (one.approved?.hash ?? '') < (other.approved?.hash ?? '') ? -1 : 1
      expect(loaded.toSorted(byHash)).toEqual(all.toSorted(byHash))
      expect(await pins.texts('s', ['tool:a', 'tool:missing'])).toEqual(
        new Map([['tool:a', { definition: '{"name":"a"}' }]]),
      )
      expect(await pins.load('other')).toEqual([])
      expect(await pins.servers()).toEqual(['s'])
    })

    it('takes thousands of pins at once', async () => {
      const many = Array.from({ length: 1_200 }, (_, at) => change(pin(`t${at}`, 'h'), null))
      await pins.record(many)
      expect(await pins.load('s')).toHaveLength(1_200)
    })

    it('records only what is as expected, and names the others', async () => {
      await pins.record([change(pin('a', '1'), null), change(pin('b', '1'), null)])
      const conflicts = await pins.record([
        change(pin('a', '2'), '1'),
        change(pin('b', '2'), 'x'),
        change(pin('a', '3'), null),
      ])
      expect(conflicts).toEqual(new Set(['tool:b', 'tool:a']))
      expect((await pins.load('s')).map(({ name: each, approved }) => [each, approved?.hash]).toSorted()).toEqual([
        ['a', '2'],
        ['b', '1'],
      ])
    })

    it('decides all or nothing, and tells every gateway', async () => {
      const other = await place.open()
      const heard = new Promise<readonly string[]>((resolve) => void other.pins.onDecided(resolve))
      await pins.record([change(pin('a', '1'), null)])
      expect(await pins.decide([change(pin('b', '1'), null), change(pin('a', '2'), 'gone')])).toBe(false)
      expect(await pins.load('s')).toHaveLength(1)
      const blocked = { hash: '9', by: 'Ada', at: 7 }
      expect(await pins.decide([change(pin('a', '1', { blocked }), '1')])).toBe(true)
      expect(await heard).toEqual(['s'])
      expect(await other.pins.load('s')).toEqual([pin('a', '1', { blocked })])
    })

    it('remembers a block where nothing was approved, and forgets the pins of a removed server', async () => {
      const blocked = { hash: '9', by: 'Ada', at: 7 }
      await pins.decide([change({ kind: 'tool', name: 'new', blocked }, null)])
      expect(await pins.record([change(pin('new', '1'), null)])).toEqual(new Set())
      expect(await pins.load('s')).toEqual([pin('new', '1')])
      await store.change((changes) => changes.removeServer('s'))
      expect(await pins.load('s')).toEqual([])
    })
  })
}
