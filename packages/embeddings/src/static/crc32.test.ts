import fc from 'fast-check'
import * as zlib from 'node:zlib'
import { expect, it } from 'vitest'
import { crc32 } from './table.ts'

it('computes the reference value', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
  expect(crc32(new Uint8Array())).toBe(0)
})

it('agrees with the platform', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(crc32(bytes)).toBe(zlib.crc32(bytes))
    }),
  )
})
