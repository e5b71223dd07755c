import fc from 'fast-check'
import { expect, it } from 'vitest'
import { UnreadEntry } from './definition-limits.ts'
import { withEntriesRead } from './list-entries.ts'
import { RawJson } from './raw-json.ts'

const raw = (text: string, cut = text.length): RawJson =>
  new RawJson([Buffer.from(text).subarray(0, cut), Buffer.from(text).subarray(cut)])

it('reads the entries of any list as JSON.parse does, however it is written and cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue()), fc.nat({ max: 2 }), fc.nat({ max: 50 }), async (list, spaces, cut) => {
      const text = JSON.stringify(list, null, spaces)
      const { tools } = await withEntriesRead({ tools: raw(text, Math.min(cut, Buffer.byteLength(text))) })
      expect(tools).toEqual(JSON.parse(text))
    }),
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
