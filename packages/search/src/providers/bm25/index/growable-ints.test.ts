import { expect, it } from 'vitest'
import { GrowableInts } from './growable-ints.ts'

it('GrowableInts grows at any distance, keeps what it has and reads 0 elsewhere', () => {
  const ints = new GrowableInts(2)
  ints.set(1, -7)
  ints.set(1000, 5)
  expect([ints.get(0), ints.get(1), ints.get(1000), ints.get(99_999), ints.get(-1)]).toEqual([0, -7, 5, 0, 0])
  ints.reserve(5000)
  expect(ints.items.length).toBeGreaterThanOrEqual(5000)
  expect(ints.get(1000)).toBe(5)
})
