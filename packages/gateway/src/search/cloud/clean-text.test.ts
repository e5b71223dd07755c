import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText } from './clean-text.ts'

describe('cleanText', () => {
  it('[R33] leaves one line without anything unseen, of bounded length, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), fc.integer({ min: 2, max: 100 }), (text, most) => {
        const cleaned = cleanText(text, most)
        expect(cleaned.length).toBeLessThanOrEqual(most)
        expect(cleaned).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        expect(cleaned.isWellFormed()).toBe(true)
      }),
    )
  })

  it('takes line breaks for spaces, and what is hidden away', () => {
    expect(cleanText('one\r\n\ttwo\u202e\u{e0041}\u200b three\u001b[31m', 100)).toBe('one two three[31m')
  })

  it('cuts between characters', () => {
    expect(cleanText('ab🎉🎉', 4)).toBe('ab…')
    expect(cleanText('abcd', 4)).toBe('abcd')
  })
})
