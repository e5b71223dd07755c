import fc from 'fast-check'
import { expect, it } from 'vitest'
import { splitInvisible } from './invisible-characters.ts'

const shown = (text: string): string =>
  splitInvisible(text)
    .map((piece) => (piece.isInvisible ? `<${piece.text}>` : piece.text))
    .join('')

it('shows characters that reorder, hide or colour by their code points', () => {
  expect(shown('pay\u202Eload')).toBe('pay<U+202E>load')
  expect(shown('\u001b[31mred')).toBe('<U+001B>[31mred')
  expect(shown('a\u200b\u200c\u200db')).toBe('a<U+200B U+200C U+200D>b')
})

it('counts repeated invisible characters', () => {
  expect(shown(`x${'\u{e0041}'.repeat(40)}`)).toBe('x<U+E0041 U+E0041 … ×40>')
})

it('leaves emoji, line breaks and other scripts alone', () => {
  for (const text of ['👩‍💻 ❤️ ok', 'two\nlines\tand a tab', 'ツールを探す', 'مرحبا', 'naïve café']) {
    expect(splitInvisible(text)).toEqual([{ text, isInvisible: false }])
  }
})

it('loses no visible character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
      const seen = splitInvisible(text).filter(({ isInvisible }) => !isInvisible)
      const letters = [...text].filter((letter) => /[\p{L}\p{N}\p{P}]/u.test(letter))
      const kept = new Set(seen.flatMap(({ text: piece }) => [...piece]))
      expect(letters.every((letter) => kept.has(letter) || /[\u115f\u1160\u3164\uffa0]/u.test(letter))).toBe(true)
    }),
  )
})
