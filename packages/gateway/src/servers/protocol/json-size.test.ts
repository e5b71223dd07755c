import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RawJson } from './raw-json.ts'
import { jsonSize } from './json-size.ts'

describe('jsonSize', () => {
  it('is the length of the written JSON, escapes apart', () => {
    const plain = fc.stringMatching(/^[a-z ]*$/)
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        plain,
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('tree')),
        fc.dictionary(plain, tie('tree')),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        expect(jsonSize(value)).toBe(JSON.stringify(value).length)
      }),
    )
  })

  it('counts the bytes of raw JSON', () => {
    expect(jsonSize({ a: new RawJson([Buffer.from('[1,'), Buffer.from('2]')]) })).toBe('{"a":[1,2]}'.length)
  })

  it('does not count what is not written', () => {
    expect(jsonSize({ a: undefined })).toBe('{}'.length)
  })

  it('stops beyond what is asked for', () => {
    const untouchable = Object.defineProperty({}, 'x', {
      enumerable: true,
      get: () => {
        throw new Error('this must not be read')
      },
    })
    expect(jsonSize([untouchable, 'x'.repeat(100)], 50)).toBeGreaterThan(50)
  })

  it('takes values of any depth', () => {
    let deep: unknown = 1
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(jsonSize(deep)).toBeGreaterThan(100_000)
  })
})
