import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EnvelopeScanner } from './envelope-scanner.ts'

function scan(text: string, cuts: readonly number[] = []): EnvelopeScanner {
  const bytes = Buffer.from(text)
  const scanner = new EnvelopeScanner()
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  for (let index = 1; index < at.length; index++) scanner.add(bytes.subarray(at[index - 1], at[index]))
  return scanner
}

describe('EnvelopeScanner', () => {
  it('finds the id before and after the result', () => {
    expect(scan('{"jsonrpc":"2.0","id":7,"result":{}}').envelope().id).toBe(7)
    expect(scan('{"result":{"id":3},"jsonrpc":"2.0","id":"a\\"b"}').envelope().id).toBe('a"b')
  })

  it('knows the keys of a message that is cut off', () => {
    expect([...scan('{"jsonrpc":"2.0","id":7,"result":{"content').envelope().keys]).toEqual(['jsonrpc', 'id', 'result'])
  })

  it('does not take an id from inside, from a string or from a value', () => {
    const texts = [
      '{"result":{"id":1}}',
      '{"result":["id",{"id":2}]}',
      '{"note":"\\"id\\":3,"}',
      '{"key":"id","value":4}',
    ]
    for (const text of texts) expect(scan(text).envelope().id).toBeUndefined()
  })

  it('finds the end of the object', () => {
    expect(new EnvelopeScanner().add(Buffer.from('{"a":"}"}{"b":1}'))).toBe(9)
  })

  it('agrees with JSON.parse on every object, however it is cut', () => {
    const id = fc.oneof(fc.string(), fc.integer(), fc.constant(null))
    const message = fc
      .tuple(fc.jsonValue(), id, fc.boolean(), fc.string({ minLength: 100, maxLength: 400 }))
      .map(([result, ownId, isFirst, long]) =>
        JSON.stringify(isFirst ? { id: ownId, long, result } : { result: [result, long], jsonrpc: '2.0', id: ownId }),
      )
    fc.assert(
      fc.property(message, fc.array(fc.nat()), (text, cuts) => {
        const { id: expected, ...others } = JSON.parse(text) as Record<string, unknown>
        const { id: found, keys } = scan(text, cuts).envelope()
        expect(found).toEqual(expected ?? undefined)
        expect([...keys].sort()).toEqual([...Object.keys(others), 'id'].sort())
      }),
      { numRuns: 300 },
    )
  })
})
