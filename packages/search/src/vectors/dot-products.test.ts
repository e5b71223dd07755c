import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  BLOCK_ROWS,
  type DotProducts,
  dotProducts,
  PlainDotProducts,
  ROW_STEP,
  WasmDotProducts,
} from './dot-products.ts'

const numbers = (length: number) => fc.int8Array({ minLength: length, maxLength: length })

const ONES = new Float64Array(10_000).fill(1)

function productsOf(products: DotProducts, rows: readonly Int8Array[], query: Int8Array): number[] {
  products.reserve(rows.length)
  for (const [row, vector] of rows.entries()) products.rows.set(vector, row * vector.length)
  products.setQueries([query])
  return Array.from(products.multiply(0, 0, rows.length, ONES, 1).subarray(0, rows.length))
}

describe('dot products', () => {
  it('are the same by WebAssembly and by JavaScript, to the bit', () => {
    const asked = fc.integer({ min: 1, max: 6 }).chain((steps) => {
      const vector = numbers(ROW_STEP * steps)
      return fc.record({ rows: fc.array(vector, { minLength: 1, maxLength: 40 }), query: vector })
    })
    fc.assert(
      fc.property(asked, ({ rows, query }) => {
        const byHand = rows.map((row) => row.reduce((sum, value, i) => sum + value * (query[i] as number), 0))
        expect(productsOf(new WasmDotProducts(query.length), rows, query)).toEqual(byHand)
        expect(productsOf(new PlainDotProducts(query.length), rows, query)).toEqual(byHand)
      }),
      { numRuns: 300 },
    )
  })

  it('do not overflow at the largest numbers there are', () => {
    const most = new Int8Array(4096).fill(-128)
    expect(productsOf(new WasmDotProducts(4096), [most], most)).toEqual([4096 * 128 * 128])
  })

  it.each([WasmDotProducts, PlainDotProducts])('keep rows while the memory of %o grows', (Products) => {
    const products = new Products(ROW_STEP)
    const rowOf = (row: number) => new Int8Array(ROW_STEP).fill(row % 100)
    for (let row = 0; row < 10_000; row++) {
      products.reserve(row + 1)
      products.rows.set(rowOf(row), ROW_STEP * row)
    }
    products.setQueries([new Int8Array(ROW_STEP).fill(1)])
    const start = 8_900
    expect(Array.from(products.multiply(0, start, BLOCK_ROWS, ONES, 1))).toEqual(
      Array.from({ length: BLOCK_ROWS }, (_, i) => ROW_STEP * ((start + i) % 100)),
    )
  })

  it('are scaled and rounded alike, whatever the number of rows', () => {
    const factor = fc.double({ min: 0, max: 1, noNaN: true })
    const asked = fc.record({
      rows: fc.array(numbers(ROW_STEP), { minLength: 1, maxLength: 23 }),
      query: numbers(ROW_STEP),
    })
    fc.assert(
      fc.property(
        asked,
        fc.array(factor, { minLength: 23, maxLength: 23 }),
        factor,
        ({ rows, query }, drawn, scale) => {
          const [factors, count] = [Float64Array.from(drawn), rows.length]
          const [first, second] = [WasmDotProducts, PlainDotProducts].map((Products) => {
            const products = new Products(ROW_STEP)
            productsOf(products, rows, query)
            return Array.from(products.multiply(0, 0, count, factors, scale).subarray(0, count))
          })
          expect(first).toEqual(second)
        },
      ),
    )
  })

  it('forget the query before', () => {
    const products = dotProducts(ROW_STEP)
    const row = new Int8Array(ROW_STEP).fill(1)
    productsOf(products, [row], new Int8Array(ROW_STEP).fill(3))
    expect(productsOf(products, [row], new Int8Array(4).fill(1))).toEqual([4])
  })
})

describe('where WebAssembly is forbidden', () => {
  afterEach(() => vi.unstubAllGlobals())

  it('products come by JavaScript', () => {
    expect(dotProducts(ROW_STEP)).toBeInstanceOf(WasmDotProducts)
    vi.stubGlobal('WebAssembly', undefined)
    expect(dotProducts(ROW_STEP)).toBeInstanceOf(PlainDotProducts)
  })
})
