import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareIds } from '../providers/compare-ids.ts'
import { IdOrder, inIdOrder } from './id-order.ts'

/** Any UTF-16 code unit, lone surrogates included. */
const CODE_UNIT = fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit))

describe('inIdOrder', () => {
  it('orders as compareIds does, by code units and not by locale', () => {
    expect(inIdOrder(['é', 'b', 'Z', 'a:b', 'a-b', '😀', '\uff5e'])).toEqual([
      'Z',
      'a-b',
      'a:b',
      'b',
      'é',
      '😀',
      '\uff5e',
    ])
    fc.assert(
      fc.property(fc.array(fc.string({ unit: CODE_UNIT })), (ids) => {
        expect(inIdOrder([...ids])).toEqual([...ids].sort(compareIds))
      }),
    )
  })
})

describe('IdOrder', () => {
  it('[T9] is the sorted set after any sequence of additions, removals and readings', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'B', 'é')
    const step = fc.record({ id, read: fc.boolean() })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const order = new IdOrder()
        const expected = new Set<string>()
        for (const { id: toggled, read } of steps) {
          if (expected.delete(toggled)) order.remove(toggled)
          else {
            expected.add(toggled)
            order.add(toggled)
          }
          if (read) expect(order.sorted()).toEqual([...expected].sort())
        }
        expect(order.sorted()).toEqual([...expected].sort())
      }),
    )
  })
})
