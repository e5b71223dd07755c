import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LONGEST_TEXT, UNKNOWN_PIECE, WordPiece } from './word-piece.ts'
import { splitWords } from './words.ts'

const VOCABULARY = [
  'un',
  '##aff',
  '##able',
  'want',
  '##want',
  '##ed',
  'wa',
  'runn',
  '##ing',
  'a',
  '##a',
  ',',
  'low',
  '##',
  '#',
  '天',
  'e',
]
const pieces = new WordPiece(VOCABULARY.join('\n'))

/** Any code units, halves of surrogate pairs included. */
const ANY_TEXT = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 200 })

/** The pieces by name. */
function spelled(text: string): string[] {
  return pieces.encode(text).map((piece) => VOCABULARY[piece] ?? 'unknown')
}

describe('WordPiece', () => {
  it.each([
    ['unaffable', ['un', '##aff', '##able']],
    ['UNwanted, running', ['un', '##want', '##ed', ',', 'runn', '##ing']],
    ['want wa', ['want', 'wa']],
    ['unwantedX', ['unknown']],
    ['lowest low', ['unknown', 'low']],
    ['天天', ['天', '天']],
    ['## #', ['#', '#', '#']],
    ['é', ['e']],
    ['', []],
  ])('cuts %j into the longest pieces from the left', (text, expected) => {
    expect(spelled(text)).toEqual(expected)
  })

  it('has no pieces for words of more than 100 characters, in any encoding', () => {
    expect(spelled('a'.repeat(100))).toEqual(['a', ...Array.from({ length: 99 }, () => '##a')])
    expect(spelled('a'.repeat(101))).toEqual(['unknown'])
    const astral = new WordPiece('𐌰\n##𐌰')
    expect(astral.encode('𐌰'.repeat(100))).toHaveLength(100)
    expect(astral.encode('𐌰'.repeat(101))).toEqual([UNKNOWN_PIECE])
  })

  it('reads the beginning of a text only', () => {
    const long = 'want '.repeat(300_000)
    expect(pieces.encode(long)).toEqual(pieces.encode(long.slice(0, LONGEST_TEXT)))
    expect(pieces.encode(long)).toHaveLength(LONGEST_TEXT / 5)
  })

  it('treats names of Object.prototype like other words', () => {
    expect(pieces.encode('constructor __proto__ toString').every((piece) => piece === UNKNOWN_PIECE)).toBe(true)
  })

  it('spells each word with pieces that could not be longer, for any text and vocabulary', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '天', '𐌰'), minLength: 1, maxLength: 4 })
    const vocabularies = fc.uniqueArray(
      fc.tuple(letters, fc.boolean()).map(([word, follows]) => (follows ? `##${word}` : word)),
    )
    fc.assert(
      fc.property(
        vocabularies,
        fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'É', ' ', '天', '𐌰'), maxLength: 40 }),
        (vocabulary, text) => {
          expect(new WordPiece(vocabulary.join('\n')).encode(text)).toEqual(
            splitWords(text).flatMap((word) => slowly(word, vocabulary)),
          )
        },
      ),
    )
  })

  it('never throws, and answers the same text the same way', () => {
    fc.assert(
      fc.property(ANY_TEXT, (text) => {
        expect(pieces.encode(text)).toEqual(new WordPiece(VOCABULARY.join('\n')).encode(text))
      }),
    )
    expect(pieces.encode('\uD800 want \uDC00')).toEqual(pieces.encode('want'))
  })
})

/** The rule as the reference words it, without any short cut. */
function slowly(word: string, vocabulary: readonly string[]): number[] {
  const found: number[] = []
  const characters = [...word]
  let start = 0
  while (start < characters.length) {
    let end = characters.length
    const candidate = () => `${start > 0 ? '##' : ''}${characters.slice(start, end).join('')}`
    while (end > start && !vocabulary.includes(candidate())) end--
    if (end === start) return [UNKNOWN_PIECE]
    found.push(vocabulary.indexOf(candidate()))
    start = end
  }
  return found
}
