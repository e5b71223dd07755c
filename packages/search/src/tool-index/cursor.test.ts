import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CursorSigner, randomCursorKey } from './cursor.ts'

/** Any UTF-16 code unit, lone surrogates included. */
const CODE_UNIT = fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit))

const KEY = Uint8Array.from({ length: 16 }, (_, i) => i)
const LIST = { version: 7, identity: ['search', 'all', 'create issue'] }
const POSITION = { offset: 20, pageSize: 10, ranker: 4711 }

const refusal = (reason: string) =>
  expect.objectContaining({
    code: 'INVALID_CURSOR',
    details: { reason, advice: expect.stringMatching(/\. .+\.$/) },
  })

describe('CursorSigner', () => {
  const signer = new CursorSigner(KEY)

  it('[T10] reads back any position that it gave out', () => {
    const list = fc.record({
      version: fc.nat({ max: 2 ** 48 - 1 }),
      identity: fc.array(fc.string({ unit: CODE_UNIT })),
    })
    const position = fc.record({
      offset: fc.nat({ max: 2 ** 32 - 1 }),
      pageSize: fc.integer({ min: 1, max: 100 }),
      ranker: fc.nat({ max: 0xffff }),
    })
    fc.assert(
      fc.property(list, position, (at, where) => {
        const cursor = signer.issue(at, where)
        expect(cursor).toMatch(/^[\w-]{40}$/)
        expect(signer.read(cursor, at)).toEqual(where)
      }),
    )
  })

  it('[T10] refuses a cursor in which any one character was changed, added or left out', () => {
    const cursor = signer.issue(LIST, POSITION)
    const character = fc.oneof(
      fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'),
      fc.string({ maxLength: 2 }),
    )
    fc.assert(
      fc.property(fc.nat({ max: cursor.length - 1 }), character, (at, replacement) => {
        const altered = cursor.slice(0, at) + replacement + cursor.slice(at + 1)
        fc.pre(altered !== cursor)
        expect(() => signer.read(altered, LIST)).toThrow(expect.objectContaining({ code: 'INVALID_CURSOR' }))
      }),
      { numRuns: 3_000 },
    )
  })

  it.each(['', 'x', 'null', 'A'.repeat(40), '=='.repeat(20), 42, null, {}, ['a']])(
    '[T10] calls %j malformed',
    (cursor) => {
      expect(() => signer.read(cursor, LIST)).toThrow(refusal('malformed'))
    },
  )

  it('[T10] calls a megabyte malformed without reading it', () => {
    expect(() => signer.read('A'.repeat(1_000_000), LIST)).toThrow(refusal('malformed'))
  })

  it('[T10] calls a cursor of another list or another key foreign', () => {
    const cursor = signer.issue(LIST, POSITION)
    const otherList = { ...LIST, identity: ['search', 'all', 'create', 'issue'] }
    expect(() => signer.read(cursor, otherList)).toThrow(refusal('foreign'))
    expect(() => new CursorSigner(randomCursorKey()).read(cursor, LIST)).toThrow(refusal('foreign'))
  })

  it('[T10] calls a cursor of another version stale, also where the scope changed with it', () => {
    const cursor = signer.issue(LIST, POSITION)
    expect(() => signer.read(cursor, { ...LIST, version: 8 })).toThrow(refusal('stale'))
    expect(() => signer.read(cursor, { version: 8, identity: ['search', 'other'] })).toThrow(refusal('stale'))
  })

  it('takes the cursors of another signer with the same key', () => {
    const key = KEY.slice()
    const other = new CursorSigner(key)
    key.fill(0)
    expect(other.read(signer.issue(LIST, POSITION), LIST)).toEqual(POSITION)
  })

  it.each([new Uint8Array(15), new Uint8Array(32), 'sixteen bytes ok', null])('refuses the key %j', (key) => {
    expect(() => new CursorSigner(key as Uint8Array)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }))
  })
})

describe('randomCursorKey', () => {
  it('has 16 bytes that differ each time', () => {
    expect(randomCursorKey()).toHaveLength(16)
    expect(randomCursorKey()).not.toEqual(randomCursorKey())
  })
})
