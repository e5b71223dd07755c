import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasCode } from '@tooldex/search'
import { unitsOf } from '../wordpiece/word-piece.ts'
import { readTable, writeTable } from './table.ts'

const TABLE = {
  id: 'small',
  dimensions: 3,
  vocabulary: unitsOf('file\nbug\n##s\né'),
  scales: Float32Array.of(0.5, 1, 0.25, 2),
  rows: Int8Array.of(1, 2, 3, -4, -5, -6, 127, -127, 0, 0, 0, 1),
}

const BYTES = writeTable(TABLE)

function problemOf(bytes: Uint8Array): unknown {
  try {
    readTable(bytes)
    return undefined
  } catch (error) {
    return error
  }
}

/** A copy with one number of the head replaced. */
function withHead(offset: number, value: number): Uint8Array {
  const bytes = BYTES.slice()
  new DataView(bytes.buffer).setUint32(offset, value, true)
  return bytes
}

describe('the table file', () => {
  it('reads back a written table, with an id that contains the checksum', () => {
    const { id, ...rest } = readTable(BYTES)
    expect(id).toMatch(/^small:[0-9a-f]{8}$/)
    expect({ ...rest, id: 'small' }).toEqual(TABLE)
  })

  it('has another id when any row differs', () => {
    const other = { ...TABLE, rows: TABLE.rows.with(0, 9) }
    expect(readTable(writeTable(other)).id).not.toBe(readTable(BYTES).id)
  })

  it('can be read from the middle of a Buffer of Node, of which a slice is no copy', () => {
    const larger = Buffer.alloc(BYTES.length + 5)
    for (const offset of [0, 1, 2, 3]) {
      larger.set(BYTES, offset)
      expect(readTable(larger.subarray(offset, offset + BYTES.length))).toEqual(readTable(BYTES))
    }
  })

  it('can be read from the middle of a larger buffer', () => {
    const larger = new Uint8Array(BYTES.length + 7)
    larger.set(BYTES, 3)
    expect(readTable(larger.subarray(3, 3 + BYTES.length))).toEqual(readTable(BYTES))
  })

  it.each([
    ['empty', new Uint8Array(), /cut off/],
    ['cut off', BYTES.slice(0, -1), /bytes instead of/],
    ['too long', Uint8Array.from([...BYTES, 0]), /bytes instead of/],
    ['something else', new TextEncoder().encode('version https://git-lfs.github.com/spec/v1'), /not a table/],
    ['of a later version', withHead(8, 2), /version 2.*reads version 1/],
    ['without dimensions', withHead(12, 0), /sizes/],
    ['of absurd size', withHead(12, 0xffff_ffff), /sizes/],
    ['with half a letter', withHead(24, 1), /sizes/],
    ['without rows', withHead(16, 0), /sizes/],
  ])('is refused when it is %s', (_, bytes, message) => {
    const problem = problemOf(bytes)
    expect(hasCode(problem, 'EMBEDDER_FAILED')).toBe(true)
    expect(problem).toMatchObject({ message: expect.stringMatching(message), details: { remedy: expect.any(String) } })
  })

  it('is refused when a scale is no number, although the checksum fits', () => {
    expect(problemOf(writeTable({ ...TABLE, scales: TABLE.scales.with(1, Number.NaN) }))).toMatchObject({
      message: expect.stringMatching(/scale/),
    })
  })

  it('is refused when any byte is damaged', () => {
    fc.assert(
      fc.property(fc.nat(BYTES.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        expect(hasCode(problemOf(BYTES.with(at, (BYTES[at] ?? 0) ^ change)), 'EMBEDDER_FAILED')).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it('refuses arbitrary bytes with a typed error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(hasCode(problemOf(bytes), 'EMBEDDER_FAILED')).toBe(true)
      }),
    )
  })
})
