import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RawJson, withoutRaw } from '../../servers/protocol/raw-json.ts'
import { contentBlocks, membersOf } from './content-blocks.ts'

/** The text in pieces of these lengths, over and over. */
function pieces(json: string, lengths: readonly number[]): RawJson {
  const bytes = Buffer.from(json)
  const found: Buffer[] = []
  for (let at = 0, next = 0; at < bytes.length; next++) {
    const length = lengths[next % lengths.length] ?? 1
    found.push(bytes.subarray(at, at + length))
    at += length
  }
  return new RawJson(found)
}

const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
const indents = fc.constantFrom(undefined, 2)
const long = fc.constantFrom('', '"\\ é😀'.repeat(20_000), 'x'.repeat(70_000))

describe('contentBlocks', () => {
  it('reads raw blocks like parsed ones', async () => {
    const blocks = fc.array(fc.dictionary(fc.string(), fc.jsonValue()))
    await fc.assert(
      fc.asyncProperty(blocks, indents, lengths, async (given, indent, cuts) => {
        const json = JSON.stringify(given, undefined, indent)
        expect(await contentBlocks(pieces(json, cuts))).toEqual(await contentBlocks(JSON.parse(json)))
      }),
    )
  })

  it('reads the members of a large block, and leaves large values raw', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), long, indents, async (block, text, indent) => {
        const json = JSON.stringify([{ ...block, text, after: 1 }], undefined, indent)
        const [read = {}] = await contentBlocks(pieces(json, [60_000, 1]))
        expect(withoutRaw(read)).toEqual((JSON.parse(json) as object[])[0])
        expect(read['text'] instanceof RawJson).toBe(text !== '')
      }),
      { numRuns: 30 },
    )
  })

  it('leaves out what is no block', async () => {
    expect(await contentBlocks(pieces('[1,"a",null,[{}],{"a":1}]', [3]))).toEqual([{ a: 1 }])
    expect(await contentBlocks(pieces('[]', [1]))).toEqual([])
    expect(await contentBlocks(undefined)).toEqual([])
    expect(await membersOf('text')).toEqual({})
  })
})
