import fc from 'fast-check'
import { expect, it } from 'vitest'
import { splitUnseen } from './unseen-characters.ts'

const shown = (text: string): string =>
  splitUnseen(text)
    .map((piece) => (piece.isUnseen ? `<${piece.text}>` : piece.text))
    .join('')

it('shows characters that reorder, hide or colour by their numbers', () => {
  expect(shown('pay\u202Eload')).toBe('pay<U+202E>load')
  expect(shown('\u001b[31mred')).toBe('<U+001B>[31mred')
  expect(shown('a\u200b\u200c\u200db')).toBe('a<U+200B U+200C U+200D>b')
})

it('counts what would fill the page', () => {
  expect(shown(`x${'\u{e0041}'.repeat(40)}`)).toBe('x<U+E0041 U+E0041 … ×40>')
})

it('leaves emoji, line breaks and other scripts alone', () => {
  for (const text of ['👩‍💻 ❤️ ok', 'two\nlines\tand a tab', 'ツールを探す', 'مرحبا', 'naïve café']) {
    expect(splitUnseen(text)).toEqual([{ text, isUnseen: false }])
  }
})

it('loses nothing that can be seen', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
      const seen = splitUnseen(text).filter(({ isUnseen }) => !isUnseen)
      const letters = [...text].filter((letter) => /[\p{L}\p{N}\p{P}]/u.test(letter))
      const kept = new Set(seen.flatMap(({ text: piece }) => [...piece]))
      expect(letters.every((letter) => kept.has(letter) || /[\u115f\u1160\u3164\uffa0]/u.test(letter))).toBe(true)
    }),
  )
})
