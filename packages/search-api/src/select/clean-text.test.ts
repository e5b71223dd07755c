import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText } from './clean-text.ts'

describe('cleanText', () => {
  it('makes one line of many', () => {
    expect(cleanText(' a\n\n b\t\u0000c\u200b\u202e ', 100)).toBe('a b c')
  })

  it('says where it was cut, and never in the middle of a character', () => {
    expect(cleanText('abcdef', 4)).toBe('abc…')
    expect(cleanText('ab🙂🙂', 4)).toBe('ab…')
  })

  it('is never longer than allowed and holds nothing unseen', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (text, most) => {
        const clean = cleanText(text, most)
        expect(clean.length).toBeLessThanOrEqual(most)
        expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
      }),
    )
  })
})
