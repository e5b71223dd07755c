import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyDecoder } from './body-decoder.ts'
import type { BodyFraming } from './response-head.ts'

function decode(framing: BodyFraming, pieces: readonly Buffer[]) {
  const data: Buffer[] = []
  const decoder = new BodyDecoder(framing, { push: (piece) => void data.push(piece) })
  const rest = pieces.map((piece) => decoder.add(piece))
  return { body: Buffer.concat(data).toString('latin1'), rest: Buffer.concat(rest).toString(), isDone: decoder.isDone }
}

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set([0, ...places.map((place) => place % (bytes.length + 1)), bytes.length])].toSorted(
    (left, right) => left - right,
  )
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

describe('BodyDecoder', () => {
  it('finds the same body in the same bytes, in whatever pieces they come', () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 })
    fc.assert(
      fc.property(chunks, fc.array(fc.nat(), { maxLength: 12 }), (parts, places) => {
        const body = Buffer.concat(parts)
        const chunked = Buffer.concat([
          ...parts.flatMap((part) => [Buffer.from(`${part.length.toString(16)};x=1\r\n`), part, Buffer.from('\r\n')]),
          Buffer.from('0\r\nTrailer: t\r\n\r\n'),
        ])
        const expected = { body: body.toString('latin1'), rest: '', isDone: true }
        expect(decode({ kind: 'chunked' }, cut(chunked, places))).toEqual(expected)
        expect(decode({ kind: 'length', bytes: body.length }, cut(body, places))).toEqual(expected)
      }),
    )
  })

  it('leaves what lies behind the body', () => {
    expect(decode({ kind: 'length', bytes: 2 }, [Buffer.from('abHTTP')])).toMatchObject({ body: 'ab', rest: 'HTTP' })
    expect(decode({ kind: 'chunked' }, [Buffer.from('1\r\na\r\n0\r\n\r\nHTTP')])).toMatchObject({ rest: 'HTTP' })
  })

  it('takes everything until the connection ends where nothing else says so', () => {
    expect(decode({ kind: 'close' }, [Buffer.from('a'), Buffer.from('b')])).toEqual({
      body: 'ab',
      rest: '',
      isDone: false,
    })
  })

  it.each(['zz\r\n', '1\r\nab\r\n', '-1\r\n', '1'.repeat(2_000)])('refuses %j', (text) => {
    expect(() => decode({ kind: 'chunked' }, [Buffer.from(text)])).toThrow(expect.objectContaining({ code: 'EPROTO' }))
  })
})
