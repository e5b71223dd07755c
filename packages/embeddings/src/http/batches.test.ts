import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchesOf } from './http-embedder.ts'

describe('batchesOf', () => {
  it('has every text that is not blank exactly once, in order and well-formed', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 100 }), (texts) => {
        const batches = batchesOf(texts)
        const filled = texts.flatMap((text, place) => (text.trim() === '' ? [] : [place]))
        expect(batches.flatMap(({ places }) => places)).toEqual(filled)
        for (const { texts: sent } of batches) {
          expect(sent.length).toBeLessThanOrEqual(32)
          expect(sent.every((text) => text.isWellFormed())).toBe(true)
        }
      }),
    )
  })

  it('cuts long texts, and sends few of them at once', () => {
    const batches = batchesOf(Array.from({ length: 9 }, () => 'x'.repeat(1_000_000)))
    expect(batches.map(({ texts }) => texts.map((text) => text.length))).toEqual([
      [8_000, 8_000, 8_000, 8_000],
      [8_000, 8_000, 8_000, 8_000],
      [8_000],
    ])
  })
})
