import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ToolScope } from './tool-scope.ts'

describe('ToolScope', () => {
  it('is a set that later changes of its source do not reach', () => {
    const ids = new Set(['a', 'b'])
    const scope = new ToolScope(ids)
    ids.add('c')
    expect([scope.size, scope.has('a'), scope.has('c')]).toEqual([2, true, false])
    expect([...scope.ids()].sort()).toEqual(['a', 'b'])
  })

  it('asks for its ids when they are first needed, and once', () => {
    let asked = 0
    const scope = new ToolScope(() => [`asked ${++asked}`])
    expect(asked).toBe(0)
    expect([scope.has('asked 1'), scope.size, [...scope.ids()]]).toEqual([true, 1, ['asked 1']])
    expect(asked).toBe(1)
  })

  it('has the same fingerprint as another exactly when the ids are the same', () => {
    const ids = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ':', '\ud800', '\udc00'), maxLength: 3 }), {
      maxLength: 5,
    })
    const key = (list: readonly string[]) => JSON.stringify([...new Set(list)].sort())
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const isSame = new ToolScope(a).fingerprint === new ToolScope(b).fingerprint
        expect(isSame).toBe(key(a) === key(b))
        expect(new ToolScope([...a].reverse()).fingerprint).toBe(new ToolScope([...a, ...a]).fingerprint)
      }),
    )
  })
})
