import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { snapshotJson } from './json-snapshot.ts'

const snapshot = (value: unknown) =>
  snapshotJson(value, (reason) => {
    throw new Error(reason)
  })

/** Objects nested `depth` levels deep. */
function nested(depth: number): object {
  let value: object = {}
  for (let i = 0; i < depth; i++) value = { properties: value }
  return value
}

describe('snapshotJson', () => {
  it('carries what JSON carries', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withSparseArray: true }), (value) => {
        expect(JSON.stringify(snapshot(value))).toBe(JSON.stringify(value))
      }),
    )
  })

  it('shares nothing with the original and is frozen throughout', () => {
    const original = { list: [{ deep: true }] }
    const copy = snapshot(original) as typeof original
    ;(original.list[0] as { deep: boolean }).deep = false
    expect(copy).toEqual({ list: [{ deep: true }] })
    expect([copy, copy.list, copy.list[0]].every(Object.isFrozen)).toBe(true)
  })

  it('keeps __proto__ as an ordinary property', () => {
    const copy = snapshot(JSON.parse('{"__proto__": {"polluted": true}}')) as object
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}')
  })

  it('copies 10,000 levels', () => {
    let level: unknown = snapshot(nested(10_000))
    let depth = 0
    for (; typeof level === 'object' && level !== null && 'properties' in level; depth++) level = level.properties
    expect(depth).toBe(10_000)
  })

  it('takes an object that is used twice, and refuses one that contains itself', () => {
    const shared = { type: 'string' }
    expect(snapshot([shared, shared])).toEqual([shared, shared])
    const cyclic: { self?: object } = {}
    cyclic.self = { list: [cyclic] }
    expect(() => snapshot(cyclic)).toThrow('contains itself')
  })

  it('refuses sizes that only an attack has', () => {
    let laughs: object = { type: 'string' }
    for (let i = 0; i < 60; i++) laughs = { left: laughs, right: laughs }
    expect(() => snapshot(laughs)).toThrow('more than 100000 values')
    expect(() => snapshot(new Array(4_000_000_000))).toThrow('more than 100000 values')
    expect(() => snapshot({ big: 1n })).toThrow('bigint')
  })
})
