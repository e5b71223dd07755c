import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toJsonText } from './json-text.ts'

function nested(value: unknown, levels: number): unknown {
  let outer = value
  for (let level = 0; level < levels; level++) outer = level % 2 === 0 ? { 'a"': outer, b: null } : [1, outer, 'x']
  return outer
}

describe('toJsonText', () => {
  it('writes what the platform writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(toJsonText(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('writes what is too deep for the platform, and it is read back as it was', () => {
    const inner = { list: [], object: {}, text: '\u0000\ud800"', number: -1.5, truth: true }
    expect(() => JSON.stringify(nested(inner, 20_000))).toThrow(RangeError)
    let read: unknown = JSON.parse(toJsonText(nested(inner, 20_000)))
    for (let level = 20_000; level > 0; level--) {
      read = level % 2 === 1 ? (read as { 'a"': unknown })['a"'] : (read as unknown[])[1]
    }
    expect(read).toEqual(inner)
  })
})
