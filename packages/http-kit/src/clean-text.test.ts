import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanLines, cleanText, escapeInvisible } from './clean-text.ts'

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
    expect(cleanText('one\r\n\ttwo\u202e\u{e0041}\u200b three\u001b[31m', 100)).toBe('one two three')
    expect(cleanText(' a\n\n b\t\u0000c\u200b\u202e ', 100)).toBe('a b c')
  })

  it('marks a cut, and never cuts inside of a character', () => {
    expect(cleanText('abcdef', 4)).toBe('abc…')
    expect(cleanText('ab🎉🎉', 4)).toBe('ab…')
    expect(cleanText('abcd', 4)).toBe('abcd')
  })
})

const BELL = '\u0007'
const ESC = '\u001b'
const FORBIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u

/** Texts with terminal sequences, direction marks and arbitrary characters. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      `${ESC}[2J`,
      `${ESC}]0;title${BELL}`,
      `${ESC}]8;;http://x${ESC}\\`,
      '\u009b31m',
      '\u009d0;t\u009c',
      '\r',
    ),
    fc.constantFrom('\u202e', '\u2066', '\u200b', '\u{e0041}', '\ud800', ESC, BELL, '\n', '\t', 'a', ' '),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
})

describe('cleanLines', () => {
  it('removes everything that a terminal obeys or does not show, and keeps lines', () => {
    const text = `one${ESC}[1;31m red${ESC}[0m${ESC}]0;title${BELL}\r\n\ttwo ${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\\u202e\u009b2J\n`
    expect(cleanLines(text)).toBe('one red\n\ttwo link\n')
    fc.assert(
      fc.property(hostile, (any) => {
        expect(cleanLines(any)).not.toMatch(FORBIDDEN)
      }),
    )
  })
})

describe('escapeInvisible', () => {
  it('leaves nothing that a terminal obeys, and keeps the meaning of JSON', () => {
    expect(escapeInvisible('a\u202e\u{e0041}\u009b\n')).toBe(String.raw`a\u202e\udb40\udc41\u009b` + '\n')
    fc.assert(
      fc.property(hostile, (any) => {
        const shown = escapeInvisible(JSON.stringify({ any }))
        expect(shown).not.toMatch(FORBIDDEN)
        expect(JSON.parse(shown)).toEqual({ any })
      }),
    )
  })
})
