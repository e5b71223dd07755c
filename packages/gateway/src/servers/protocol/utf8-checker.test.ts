import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Utf8Checker } from './utf8-checker.ts'

function isAccepted(bytes: Buffer, size: number): boolean {
  const checker = new Utf8Checker()
  for (let at = 0; at < bytes.length; at += size) checker.add(bytes.subarray(at, at + size))
  return checker.isValid
}

const sizes = fc.integer({ min: 1, max: 7 })

it('accepts any text, wherever its signs are cut', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), sizes, (text, size) => isAccepted(Buffer.from(text), size)))
})

it('judges any bytes as the system does', () => {
  const texts = fc.string({ unit: 'grapheme' }).map((text) => [...Buffer.from(text)])
  const bytes = fc.tuple(texts, fc.array(fc.integer({ min: 0x7e, max: 0xff }), { maxLength: 4 }), texts)
  fc.assert(
    fc.property(bytes, sizes, (parts, size) => {
      const all = Buffer.from(parts.flat())
      expect(isAccepted(all, size)).toBe(isUtf8(all))
    }),
    { numRuns: 2_000 },
  )
})
