import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitWords } from './words.ts'

const ANY_TEXT = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 200 })
const ASCII_TEXT = fc.string({ unit: 'binary-ascii', maxLength: 200 })

describe('splitWords', () => {
  it.each([
    ['Create an Issue', ['create', 'an', 'issue']],
    ['create_issue', ['create', '_', 'issue']],
    ["don't stop!", ['don', "'", 't', 'stop', '!']],
    ['a+b=c $5 ~x^y`z|<w>', ['a', '+', 'b', '=', 'c', '$', '5', '~', 'x', '^', 'y', '`', 'z', '|', '<', 'w', '>']],
    ['Crème BRÛLÉE Ñandú', ['creme', 'brulee', 'nandu']],
    ['naïve—“quoted”…', ['naive', '—', '“', 'quoted', '”', '…']],
    ['天気を調べる', ['天', '気', 'を', '調', 'へる']],
    ['𠀀𪜀x', ['𠀀', '𪜀', 'x']],
    ['ΣΊΣΥΦΟΣ', ['σισυφοσ']],
    ['İstanbul', ['istanbul']],
    ['a\u200Bb\u0000c\uFFFDd\u00ADe', ['abcde']],
    ['tab\tline\nreturn\rnbsp\u00A0ideographic\u3000end', ['tab', 'line', 'return', 'nbsp', 'ideographic', 'end']],
    ['', []],
    [' \t\n', []],
  ])('splits %j', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })

  it('treats ASCII alike, alone and beside other letters', () => {
    fc.assert(
      fc.property(ASCII_TEXT, (text) => {
        expect(splitWords(`é ${text}`)).toEqual(['e', ...splitWords(text)])
      }),
    )
  })

  it('has no white space, capital or accent in any word of any text', () => {
    fc.assert(
      fc.property(ANY_TEXT, (text) => {
        for (const word of splitWords(text)) expect(word).toMatch(/^[^\s\p{Mn}A-Z]+$/u)
      }),
    )
  })

  it('splits its own words no further', () => {
    fc.assert(
      fc.property(ANY_TEXT, (text) => {
        const words = splitWords(text).filter((word) => word === word.toLowerCase().normalize('NFD'))
        expect(splitWords(words.join(' '))).toEqual(words)
      }),
    )
  })
})
