import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extentOf, limitedEntry, limitedInstructions, limitedRemarks, withoutOurMeta } from './definition-limits.ts'
import { SERVER_LIMITS } from './server-limits.ts'

const nested = (levels: number): unknown => {
  let value: unknown = {}
  for (let level = 0; level < levels; level++) value = { properties: { a: value } }
  return value
}

describe('limitedEntry', () => {
  it('keeps an ordinary entry as it is', () => {
    const tool = { name: 'a', description: 'x'.repeat(5_000), inputSchema: nested(20), 'x-own': [1] }
    expect(limitedEntry(tool)).toMatchObject({ entry: tool, remarks: [] })
  })

  it('cuts a long description and says so', () => {
    const { entry, remarks } = limitedEntry({ name: 'a', description: 'x'.repeat(10_000_000) })
    expect(entry?.['description']).toHaveLength(SERVER_LIMITS.descriptionCharacters + 1)
    expect(remarks).toEqual(['"a": its description has 10000000 characters; the first 32768 are kept.'])
  })

  it.each([
    ['nests too deeply', nested(3_000)],
    [
      'is too large',
      { properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`property ${at}`, {}])) },
    ],
  ])('replaces an input schema that %s, so that the server checks', (_, inputSchema) => {
    const { entry, remarks } = limitedEntry({ name: 'a', inputSchema, outputSchema: inputSchema })
    expect(entry).toEqual({ name: 'a', inputSchema: { type: 'object' } })
    expect(remarks).toEqual([
      expect.stringMatching(/^"a": its inputSchema .* and was replaced; the server checks its arguments\.$/),
      expect.stringMatching(/^"a": its outputSchema .* and was dropped\.$/),
    ])
  })

  it('leaves an entry out whose name is too long', () => {
    expect(limitedEntry({ name: 'n'.repeat(2_000) })).toMatchObject({ remarks: [expect.stringMatching(/is left out/)] })
    expect(limitedEntry({ name: 'n'.repeat(2_000) }).entry).toBeUndefined()
  })

  it('H19: takes out marks that only the gateway may set', () => {
    const _meta = { 'io.tooldex/error': { code: 'INVALID_ARGUMENTS' }, 'example.org/a': 1 }
    expect(limitedEntry({ name: 'a', _meta }).entry).toEqual({ name: 'a', _meta: { 'example.org/a': 1 } })
    expect(withoutOurMeta({ a: 1, _meta: { 'io.tooldex/x': 1 } })).toEqual({ a: 1 })
  })

  it('yields an entry within the limits, whatever it was', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat({ max: 400 }), (fields, levels) => {
        const { entry } = limitedEntry({ ...fields, deep: nested(levels) })
        const values = Object.values(entry ?? {})
        expect(values.every((value) => extentOf(value, SERVER_LIMITS.schemaCharacters).isWithin)).toBe(true)
      }),
    )
  })
})

describe('limits of texts', () => {
  it('cuts long instructions and says so', () => {
    const { text, remark } = limitedInstructions('i'.repeat(100_000))
    expect(text).toHaveLength(SERVER_LIMITS.instructionsCharacters + 1)
    expect(remark).toBe('Its instructions have 100000 characters; the first 32768 are kept.')
    expect(limitedInstructions('short')).toEqual({ text: 'short' })
  })

  it('keeps the first remarks and counts the others', () => {
    const remarks = limitedRemarks(Array.from({ length: 60 }, (_, at) => `Remark ${at}.`))
    expect(remarks).toHaveLength(51)
    expect(remarks.at(-1)).toBe('And 10 more remarks.')
  })
})

it('has the limits that the reference names', () => {
  const page = readFileSync(new URL('../../../../../docs/reference/configuration.md', import.meta.url), 'utf8')
  const [, section = ''] = page.split('## Limits that are not settings')
  const { remarks: _, ...named } = SERVER_LIMITS
  for (const limit of Object.values(named)) expect(section).toMatch(new RegExp(`\\b${limit.toLocaleString('en')}\\b`))
})
