import fc from 'fast-check'
import { expect, it } from 'vitest'
import { UnreadEntry } from './definition-limits.ts'
import { withEntriesRead } from './list-entries.ts'
import { RawJson } from './raw-json.ts'

/** In pieces of so many bytes. */
function raw(text: string, size = text.length): RawJson {
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  )
  return new RawJson(pieces)
}

/** Long, with many quotes and backslashes. */
const escaped = fc.string({ unit: fc.constantFrom('"', '\\', 'x'.repeat(30)), maxLength: 40 })

it('reads the entries of any list as JSON.parse does, however it is written and cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.jsonValue(), escaped)),
      fc.nat({ max: 40 }),
      fc.integer({ min: 1, max: 50 }),
      async (list, spaces, size) => {
        const text = JSON.stringify(list, null, ' '.repeat(spaces))
        const { tools } = await withEntriesRead({ tools: raw(` ${text}\n`, size) })
        expect(tools).toEqual(JSON.parse(text))
      },
    ),
  )
})

it('does not read an entry that is too large, and reads the others', async () => {
  const text = JSON.stringify([{ name: 'a' }, { name: 'b', description: 'x'.repeat(3_000_000) }, { name: 'c' }])
  const { tools } = await withEntriesRead({ tools: raw(text), nextCursor: 'n' })
  expect(tools).toEqual([{ name: 'a' }, expect.any(UnreadEntry), { name: 'c' }])
})

it('leaves a result without raw lists as it is', async () => {
  const result = { tools: [] }
  expect(await withEntriesRead(result)).toBe(result)
})

it('reads no more entries than are wanted', async () => {
  const { tools } = await withEntriesRead({ tools: raw('[1, 2, 3, 4]', 3) }, 2)
  expect(tools).toEqual([1, 2])
})

it('reads an entry that is indented far', async () => {
  const { tools } = await withEntriesRead({ tools: raw(`[${' '.repeat(100)}1${' '.repeat(100)}]`) })
  expect(tools).toEqual([1])
})
