import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RawJson } from '../../servers/protocol/raw-json.ts'
import { jsonSource, LONGEST_ESCAPE, type TextSource, textSource } from './raw-text.ts'

const textOf = (source: TextSource | undefined): string => Buffer.concat([...(source?.slices() ?? [])]).toString('utf8')

/** A JSON string as servers write them: with and without escapes. */
function escaped(text: string, everything: boolean): string {
  const json = JSON.stringify(text)
  if (!everything) return json
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

describe('textSource', () => {
  it('decodes a raw string in slices like JSON.parse', () => {
    const part = fc.constantFrom('\\', '"', '\n', 'é', '😀', '\\\\', 'u', 'ud83d', 'a', '\u2028')
    const text = fc.array(part, { maxLength: 80 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.boolean(), fc.integer({ min: 2 * LONGEST_ESCAPE, max: 60 }), (given, everything, slice) => {
        const raw = new RawJson([Buffer.from(escaped(given, everything))])
        expect(textOf(textSource(raw, slice))).toBe(given)
      }),
      { numRuns: 2_000 },
    )
  })

  it('replaces unpaired surrogates', () => {
    const raw = new RawJson([Buffer.from(String.raw`"a\ud83d b\ude00\\ud83d"`)])
    expect(textOf(textSource(raw))).toBe('a� b�\\ud83d')
    expect(textOf(textSource('a\ud83d'))).toBe('a�')
  })

  it('is undefined for anything but a text', () => {
    for (const value of [7, null, {}, undefined, new RawJson([Buffer.from('{"a":1}')])]) {
      expect(textSource(value)).toBeUndefined()
    }
  })
})

it('jsonSource has the JSON of a value, raw JSON as it came', () => {
  expect(textOf(jsonSource({ a: [1] }))).toBe('{"a":[1]}')
  expect(textOf(jsonSource(new RawJson([Buffer.from('{ "a"'), Buffer.from(': 1}')])))).toBe('{ "a": 1}')
})
