import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { atOnce } from '../in-slices.ts'
import { changedKeys, SortedMap } from './sorted-map.ts'

const key = fc.oneof(fc.stringMatching(/^[a-f]{1,3}$/), fc.constantFrom('', '__proto__', 'constructor', '\u{1f600}'))
const change = fc.tuple(key, fc.option(fc.nat(), { nil: undefined }))

const sorted = (map: ReadonlyMap<string, number>): [string, number][] =>
  [...map].sort(([one], [other]) => (one < other ? -1 : 1))

describe('SortedMap', () => {
  it('has what a map has after the same changes, in the order of keys, and leaves the original alone', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.nat())), fc.array(fc.array(change)), (first, rounds) => {
        const plain = new Map(first)
        let map = SortedMap.of(first)
        for (const changes of rounds) {
          const [before, entries] = [map, [...map]]
          const old = new Map(plain)
          for (const [each, value] of changes) {
            if (value === undefined) plain.delete(each)
            else plain.set(each, value)
          }
          map = map.with(changes)
          expect([...map]).toEqual(sorted(plain))
          expect([...before]).toEqual(entries)
          expect(map.size).toBe(plain.size)
          const keys = [...new Set([...old.keys(), ...plain.keys()])]
          expect([...map.changedSince(before)].sort()).toEqual(keys.filter((k) => old.get(k) !== plain.get(k)).sort())
          for (const each of keys) expect([map.get(each), map.has(each)]).toEqual([plain.get(each), plain.has(each)])
        }
        const [middle] = plain.keys()
        expect([...map.after(middle ?? '')]).toEqual(sorted(plain).filter(([each]) => each > (middle ?? '')))
        expect([...map.keys()]).toEqual(sorted(plain).map(([each]) => each))
        expect([...map.values()]).toEqual(sorted(plain).map(([, value]) => value))
      }),
    )
  })

  it('is the same when it is made in steps', () => {
    const entries = fc.array(fc.tuple(fc.oneof(key, fc.stringMatching(/^[0-9a-f]{4}$/)), fc.nat()))
    const inSteps = (pairs: readonly (readonly [string, number])[]): [string, number][] => {
      const made = atOnce(SortedMap.steps(pairs, ([each]) => each))
      return Array.from(made, ([each, [, value]]) => [each, value])
    }
    fc.assert(
      fc.property(entries, fc.nat(3), (some, times) => {
        const many = Array.from({ length: times * 1_500 }, (_, at): [string, number] => [`${(at * 7919) % 4_001}`, at])
        const all = [...some, ...many, ...some]
        expect(inSteps(all)).toEqual([...SortedMap.of(all)])
        expect(inSteps(sorted(new Map(all)))).toEqual([...SortedMap.of(all)])
      }),
      { numRuns: 30 },
    )
    const same = Array.from({ length: 10_000 }, (_, at): [string, number] => [`${at % 5}`, at])
    expect(inSteps(same)).toEqual(same.slice(-5))
  })

  it('makes each mapped value when it is looked up, once', () => {
    const map = SortedMap.of(Array.from({ length: 5_000 }, (_, at): [string, number] => [`k${at}`, at]))
    const make = vi.fn((value: number) => ({ value }))
    const mapped = map.mapped(make)
    expect([mapped.size, mapped.has('k7'), mapped.has('k5000'), make.mock.calls.length]).toEqual([
      5_000,
      true,
      false,
      0,
    ])
    const first = mapped.get('k7')
    expect(first).toEqual({ value: 7 })
    expect(mapped.get('k7')).toBe(first)
    expect(make.mock.calls).toEqual([[7]])
    const changed = mapped.with([
      ['k8', { value: -1 }],
      ['k9', undefined],
    ])
    expect([changed.get('k7') === first, changed.get('k8'), changed.has('k9')]).toEqual([true, { value: -1 }, false])
    expect([...changed.changedSince(mapped)].sort()).toEqual(['k8', 'k9'])
    expect([map.get('k9'), mapped.get('k9')]).toEqual([9, { value: 9 }])
    // A change copies the values around it.
    expect(make.mock.calls.length).toBeLessThan(600)
  })

  it('splits and empties its chunks', () => {
    const names = Array.from({ length: 5_000 }, (_, at) => `k${String(at).padStart(5, '0')}`)
    let map = SortedMap.of<number>()
    for (const [at, name] of names.entries()) map = map.with([[name, at]])
    expect([...map.keys()]).toEqual(names)
    map = map.with(names.slice(10).map((name) => [name, undefined] as const))
    expect([...map.keys()]).toEqual(names.slice(0, 10))
  })

  it('finds one change among 100,000 entries without a look at the others', () => {
    const before = SortedMap.of(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at] as const))
    const after = before.with([
      ['k5', -1],
      ['k99999', undefined],
    ])
    const looks = vi.spyOn(SortedMap.prototype, 'get')
    expect([...changedKeys(after, before)].sort()).toEqual(['k5', 'k99999'])
    expect(looks.mock.calls.length).toBeLessThan(1_100)
    looks.mockRestore()
    expect(after.get('k5')).toBe(-1)
    expect(before.get('k5')).toBe(5)
  })

  it('compares other maps entry by entry', () => {
    const [one, other] = [
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      new Map([
        ['b', 3],
        ['c', 4],
      ]),
    ]
    expect([...changedKeys(one, other)].sort()).toEqual(['a', 'b', 'c'])
    expect(changedKeys(one, one).size).toBe(0)
  })
})
