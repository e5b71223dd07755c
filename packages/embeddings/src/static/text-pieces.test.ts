import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WordPiece } from '../wordpiece/word-piece.ts'
import { splitIdentifiers, TextPieces } from './text-pieces.ts'

const pieces = new WordPiece('a\nb\n##a\n##b\n.\n!\n \nfile\nlist\n##s\né\n-')

describe('TextPieces', () => {
  it('are those of the whole text, independent of earlier texts', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      'ab',
      '.',
      '!',
      ' ',
      '\n',
      'file',
      'listFiles',
      'é',
      '\u0301',
      '日',
      'x',
      '-',
      'A',
    )
    const texts = fc.array(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
      { maxLength: 6 },
    )
    fc.assert(
      fc.property(texts, (parts) => {
        const reader = new TextPieces(pieces)
        let text = ''
        for (const more of parts) {
          for (const asked of [text + more, more]) {
            expect([...reader.of(asked)]).toEqual(pieces.encode(splitIdentifiers(asked)))
          }
          text += more
          expect([...reader.of(text)]).toEqual(pieces.encode(splitIdentifiers(text)))
        }
      }),
    )
  })

  it('are those of a very long text, too', () => {
    const reader = new TextPieces(pieces)
    const long = 'listFiles. '.repeat(1_800)
    reader.of(long)
    expect(reader.of(`${long}b b b`)).toEqual(pieces.encode(splitIdentifiers(`${long}b b b`)))
  })
})
