import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { containsCjk, tokeniseCjk } from './cjk.ts'

const tokens = (text: string): string[] => {
  const found: string[] = []
  tokeniseCjk(text, (token, advances) => found.push(advances ? token : `+${token}`))
  return found
}

describe('tokeniseCjk', () => {
  it.each([
    ['検', ['検']],
    ['検索', ['検索']],
    ['東京都', ['東京', '京都']],
    ['人々の', ['人々', 'の']],
    ['データベース', ['デー', 'ータ', 'タベ', 'ベー', 'ース', '+データベース']],
    ['サーバー', ['サー', 'ーバ', '+サーバ']],
    ['キー', ['キー']],
    ['검색하기', ['검색', '색하', '하기', '+검색하기']],
    ['検索する', ['検索', 'する']],
    ['𠮷野家', ['𠮷野', '野家']],
  ])('reads %s as %j', (text, expected) => expect(tokens(text)).toEqual(expected))

  it('keeps no run whole that is too long to be a word', () => {
    expect(tokens('ア'.repeat(16))).toContain(`+${'ア'.repeat(16)}`)
    expect(tokens('ア'.repeat(17)).filter((token) => token.startsWith('+'))).toEqual([])
  })

  it('finds every two neighbours of one script', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[一-十]{2,9}$/), (text) => {
        expect(tokens(text)).toEqual(Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2)))
      }),
    )
  })
})

describe('containsCjk', () => {
  it('tells Chinese, Japanese and Korean from the rest', () => {
    expect(['検', 'か', 'カ', '검'].every(containsCjk)).toBe(true)
    expect(['', 'abc', 'é', 'Ω', '🎉', '، '].some(containsCjk)).toBe(false)
  })
})
