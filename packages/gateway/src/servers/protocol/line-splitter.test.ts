import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

/** Lines as text; an overlong one as its length. */
function split(chunks: readonly Buffer[], maxBytes: number): (string | number)[] {
  const lines: (string | number)[] = []
  const splitter = new LineSplitter(maxBytes, {
    line: (bytes) => lines.push(bytes.toString()),
    overlong: () => {
      let length = 0
      return {
        add: (piece) => {
          length += piece.length
        },
        end: () => lines.push(length),
      }
    },
  })
  for (const chunk of chunks) splitter.push(chunk)
  splitter.end()
  return lines
}

/** The same bytes in pieces of these sizes. */
function pieces(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const parts: Buffer[] = []
  let at = 0
  for (const size of sizes) {
    parts.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...parts, bytes.subarray(at)]
}

describe('LineSplitter', () => {
  it('cuts at newlines, wherever the chunks are cut', () => {
    const lines = fc.array(fc.string({ unit: 'binary', maxLength: 30 }).map((line) => line.replaceAll('\n', '')))
    fc.assert(
      fc.property(lines, fc.array(fc.nat(9)), (texts, sizes) => {
        const bytes = Buffer.from(texts.join('\n'))
        const expected = texts
          .map((text) => (Buffer.byteLength(text) > 40 ? Buffer.byteLength(text) : Buffer.from(text).toString()))
          .filter((line) => line !== '')
        expect(split(pieces(bytes, sizes), 40)).toEqual(expected)
      }),
    )
  })

  it('takes a line of just the limit and hands on a longer one in pieces', () => {
    expect(split([Buffer.from('12345\n123456\n')], 5)).toEqual(['12345', 6])
  })

  it('joins a line of large and small pieces in order', () => {
    const sizes = [1, 5_000, 3, 20_000, 4_095, 4_096, 1]
    const text = sizes.map((size, index) => String(index).repeat(size)).join('')
    expect(split(pieces(Buffer.from(text), sizes), 1_000_000)).toEqual([text])
  })

  it('holds a line that drips in byte by byte in a few pieces', () => {
    let pieceCount = 0
    const splitter = new LineSplitter(100_000, {
      line: () => expect.unreachable(),
      overlong: () => ({ add: () => pieceCount++, end: () => undefined }),
    })
    for (let count = 0; count <= 100_000; count++) splitter.push(Buffer.from('x'))
    expect(pieceCount).toBeLessThan(10)
  })
})
