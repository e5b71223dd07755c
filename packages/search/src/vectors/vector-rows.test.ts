import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK_ROWS, MOST_QUERIES, PlainDotProducts } from './dot-products.ts'
import { quantise, quantisedMean } from './quantise.ts'
import { textHash } from './text-hash.ts'
import { COSINE_ONE, strideOf, VectorRows } from './vector-rows.ts'

const vector = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 20, maxLength: 20 })

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
  const lengths = Math.hypot(...a) * Math.hypot(...b)
  return lengths === 0 ? 0 : dot / lengths
}

describe('VectorRows', () => {
  it('measures cosines as they are, but for the rounding to 8 bits', () => {
    fc.assert(
      fc.property(vector, fc.array(vector, { minLength: 1, maxLength: 9 }), (query, rows) => {
        const store = new VectorRows(20)
        for (const [slot, row] of rows.entries()) store.set(slot, quantise(row))
        const out = new Int32Array(rows.length)
        store.cosines(quantise(query), rows.length, undefined, out)
        for (const [slot, row] of rows.entries()) {
          expect(Math.abs((out[slot] ?? 0) / COSINE_ONE - cosine(query, row))).toBeLessThan(0.02)
        }
      }),
    )
  })

  it('gives the same with and without WebAssembly after any changes, in all slots or some', () => {
    const change = fc.record({ slot: fc.nat(40), vector: fc.option(vector) })
    const changes = fc.array(change, { maxLength: 60, size: 'max' })
    fc.assert(
      fc.property(changes, vector, fc.func(fc.boolean()), fc.constantFrom(1, 12), (history, query, chosen, width) => {
        const visible = Uint8Array.from({ length: 41 }, (_, slot) => (chosen(Math.floor(slot / width)) ? 1 : 0))
        const measured = [new VectorRows(20), new VectorRows(20, new PlainDotProducts(strideOf(20)))].map((store) => {
          for (const { slot, vector: set } of history) {
            if (set === null) store.delete(slot)
            else store.set(slot, quantise(set))
          }
          // What the query before left must not show.
          const all = new Int32Array(41).fill(7)
          const some = new Int32Array(41).fill(7)
          store.cosines(quantise(query), 41, undefined, all)
          store.cosines(quantise(query), 41, visible, some)
          return { all, some }
        })
        expect(measured[0]).toEqual(measured[1])
        const { all, some } = measured[0] as { all: Int32Array; some: Int32Array }
        expect(Array.from(some)).toEqual(Array.from(all, (value, slot) => (visible[slot] === 1 ? value : 0)))
        const last = new Map(history.map(({ slot, vector: set }) => [slot, set]))
        for (let slot = 0; slot < 41; slot++) if ((last.get(slot) ?? null) === null) expect(all[slot]).toBe(0)
      }),
    )
  })

  it('measures a query with its clauses as it measures each alone, and keeps the nearest clause', () => {
    const clauses = fc.array(vector, { minLength: 1, maxLength: 2 * MOST_QUERIES })
    const slots = BLOCK_ROWS + 3
    fc.assert(
      fc.property(vector, clauses, fc.array(vector, { minLength: 1, maxLength: 7 }), (query, parts, rows) => {
        const store = new VectorRows(20)
        for (let slot = 0; slot < slots; slot++) store.set(slot, quantise(rows[slot % rows.length] ?? []))
        const visible = Uint8Array.from({ length: slots }, (_, slot) => (slot % 5 === 2 ? 0 : 1))
        const alone = [query, ...parts].map((one) => {
          const out = new Int32Array(slots)
          store.cosines(quantise(one), slots, visible, out)
          return out
        })
        const [whole, nearest] = [new Int32Array(slots).fill(7), new Int32Array(slots).fill(7)]
        const queries = parts.map((part) => quantise(part))
        store.cosines(quantise(query), slots, visible, whole, { queries, nearest })
        expect(whole).toEqual(alone[0])
        expect(nearest).toEqual(nearest.map((_, slot) => Math.max(...alone.slice(1).map((out) => out[slot] ?? 0))))
      }),
      { numRuns: 5 },
    )
  })

  it('is near nothing with a zero vector', () => {
    const store = new VectorRows(3)
    store.set(0, quantise([0, 0, 0]))
    store.set(1, quantise([1, 0, 0]))
    const out = new Int32Array(2)
    store.cosines(quantise([1, 0, 0]), 2, undefined, out)
    expect(Array.from(out)).toEqual([0, COSINE_ONE])
    store.cosines(quantise([0, 0, 0]), 2, undefined, out)
    expect(Array.from(out)).toEqual([0, 0])
  })
})

describe('quantise', () => {
  it('brings the largest number to 127 and keeps the direction', () => {
    expect(Array.from(quantise([0.5, -1, 0.25]))).toEqual([64, -127, 32])
    expect(Array.from(quantise([0, 0]))).toEqual([0, 0])
  })

  it('takes the mean of several vectors', () => {
    const mean = quantisedMean([Float32Array.of(1, 0), Float32Array.of(0, 1)])
    expect(Array.from(mean)).toEqual([127, 127])
  })
})

describe('textHash', () => {
  it('tells lists of texts apart, and not when or where they are hashed', () => {
    expect(textHash(['model', 'a b'])).toMatch(/^[0-9a-f]{32}$/)
    expect(textHash(['model', 'a b'])).toBe(textHash(['model', 'a b']))
    const others = [['model', 'a', 'b'], ['modela b'], ['model', 'a b', ''], ['model', '\ud800']]
    expect(new Set([['model', 'a b'], ...others].map(textHash)).size).toBe(5)
  })

  it('stays what caches were written with', () => {
    expect(textHash(['model', 'text'])).toBe('d0b57cb2b86bfa3ed049040f1260387e')
  })
})
