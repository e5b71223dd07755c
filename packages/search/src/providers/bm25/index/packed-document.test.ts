import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasCode } from '../../../errors.ts'
import { packDocument, packedServerKey, type ReadDocument, unpackDocument, wordItem } from './packed-document.ts'

const text = fc.string({ unit: 'binary', maxLength: 12 }).map((some) => some.toWellFormed())
const document: fc.Arbitrary<ReadDocument> = fc
  .record({
    name: text,
    serverKey: text,
    serverStems: fc.array(fc.tuple(text, fc.integer({ min: 0, max: 100_000 })), { maxLength: 5 }),
    words: fc.array(text, { minLength: 1, maxLength: 20 }),
    places: fc.array(fc.tuple(fc.nat(), fc.boolean(), fc.integer({ min: 0, max: 5 })), { maxLength: 40 }),
  })
  .map(({ places, ...read }) => ({
    ...read,
    items: places.map(([place, isWhole, field]) =>
      place % 7 === 0 ? field : wordItem(place % read.words.length, isWhole),
    ),
  }))

describe('a packed document', () => {
  it('has everything that was read', () => {
    fc.assert(
      fc.property(document, (read) => {
        const packed = packDocument(read)
        const { text: all, starts, items, ...rest } = unpackDocument(packed)
        const words = read.words.map((_, place) => all.slice(starts[place], starts[place + 1]))
        expect({ ...rest, words, items: Array.from(items) }).toEqual({ ...read, items: Array.from(read.items) })
        expect(packedServerKey(packed)).toBe(read.serverKey)
      }),
    )
  })

  it('is refused or read, and never anything else, whatever was altered or cut', () => {
    fc.assert(
      fc.property(document, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.boolean(), (read, at, byte, isCut) => {
        const packed = packDocument(read)
        if (!isCut) packed[at % packed.length] = byte
        try {
          const { starts, items } = unpackDocument(isCut ? packed.subarray(0, at % packed.length) : packed)
          for (const item of Array.from(items)) expect(item).toBeLessThan(wordItem(starts.length, false))
        } catch (error) {
          expect(hasCode(error, 'INVALID_SAVED_INDEX')).toBe(true)
        }
      }),
    )
  })
})
