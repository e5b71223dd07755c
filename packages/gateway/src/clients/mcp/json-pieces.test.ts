import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RawJson } from '../../servers/protocol/raw-json.ts'
import { jsonPieces } from './json-pieces.ts'

const written = (value: unknown): string => [...jsonPieces(value)].join('')

describe('jsonPieces', () => {
  it('writes what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(written(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('omits values that JSON omits', () => {
    expect(written({ a: undefined, b: [undefined] })).toBe('{"b":[null]}')
  })

  it('passes raw bytes through', () => {
    const raw = new RawJson([Buffer.from('["\u00c3'), Buffer.from('\u00a9" , 1.0]')])
    const value = { before: 1, content: raw, structuredContent: { result: raw }, after: [2] }
    const bytes = Buffer.concat([...jsonPieces(value)].map((piece) => Buffer.from(piece)))
    const text = Buffer.concat(raw.pieces).toString()
    expect(bytes.toString()).toBe(`{"before":1,"content":${text},"structuredContent":{"result":${text}},"after":[2]}`)
  })

  it('cuts long texts without breaking surrogate pairs', () => {
    const value = { content: [{ type: 'text', text: `x${'😀"\\\n'.repeat(100_000)}` }] }
    const pieces = [...jsonPieces(value)]
    expect(JSON.parse(pieces.join(''))).toEqual(value)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(1_000_000)
  })
})
