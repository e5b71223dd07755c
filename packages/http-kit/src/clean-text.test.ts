import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText } from './clean-text.ts'

describe('cleanText', () => {
  it('[R33] makes one line of visible characters of bounded length from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), fc.integer({ min: 1, max: 100 }), (text, most) => {
        const cleaned = cleanText(text, most)
        expect(cleaned.length).toBeLessThanOrEqual(most)
        expect(cleaned).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
        expect(cleaned.isWellFormed()).toBe(true)
      }),
    )
  })

  it('replaces line breaks by spaces and removes invisible characters', () => {
    expect(cleanText('one\r\n\ttwo\u202e\u{e0041}\u200b three\u001b[31m', 100)).toBe('one two three[31m')
    expect(cleanText(' a\n\n b\t\u0000c\u200b\u202e ', 100)).toBe('a b c')
  })

  it('marks a cut, and never cuts inside of a character', () => {
    expect(cleanText('abcdef', 4)).toBe('abc…')
    expect(cleanText('ab🎉🎉', 4)).toBe('ab…')
    expect(cleanText('abcd', 4)).toBe('abcd')
  })
})
