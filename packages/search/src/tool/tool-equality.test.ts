import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differingMcpField, isSameJson } from './tool-equality.ts'

/** The same value with the keys of every object in reverse. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, part]) => [key, reversed(part)]),
  )
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? { sorted: Object.entries(part).sort() } : part,
  )

describe('isSameJson', () => {
  it('[T4] ignores the order of keys', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => isSameJson(value, reversed(value))))
  })

  it('[T4] tells different values apart', () => {
    const small = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom('a', 'b') })
    fc.assert(fc.property(small, small, (a, b) => isSameJson(a, b) === (canonical(a) === canonical(b))))
  })

  it.each([
    [{}, []],
    [{ a: 1 }, { b: 1 }],
    [{ constructor: 1 }, {}],
    [JSON.parse('{"__proto__":{}}'), { a: {} }],
    [{}, { toString: 1 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [
      [1, 2],
      [2, 1],
    ],
    [null, {}],
    [undefined, {}],
    ['1', 1],
  ])('sees that %j is not %j', (a, b) => {
    expect(isSameJson(a, b)).toBe(false)
    expect(isSameJson(b, a)).toBe(false)
  })

  it('compares 10,000 levels', () => {
    const deep = (leaf: string) => {
      let value: unknown = leaf
      for (let i = 0; i < 10_000; i++) value = { value }
      return value
    }
    expect(isSameJson(deep('x'), deep('x'))).toBe(true)
    expect(isSameJson(deep('x'), deep('y'))).toBe(false)
  })
})

describe('differingMcpField', () => {
  const tool = { name: 'x', inputSchema: { type: 'object' } }

  it.each([
    ['name', { ...tool, name: 'y' }],
    ['title', { ...tool, title: 'T' }],
    ['description', { ...tool, description: 'D' }],
    ['inputSchema', { ...tool, inputSchema: { type: 'object', properties: {} } }],
    ['outputSchema', { ...tool, outputSchema: {} }],
    ['annotations', { ...tool, annotations: { readOnlyHint: true } }],
    ['icons', { ...tool, icons: [{ src: 'x.png' }] }],
    ['_meta', { ...tool, _meta: { a: 1 } }],
  ])('[T4] names %s', (field, other) => {
    expect(differingMcpField(tool, other)).toBe(field)
  })

  it('[T4] does not look at fields that MCP does not have', () => {
    expect(
      differingMcpField(tool, { ...tool, tags: ['a'], namespaceDescription: 'D', vendor: 1 } as never),
    ).toBeUndefined()
  })
})
