import fc from 'fast-check'
import * as zlib from 'node:zlib'
import { expect, it } from 'vitest'
import { crc32 } from './crc32.ts'

it('is the sum that everybody else computes', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
  expect(crc32(new Uint8Array())).toBe(0)
})

it.runIf('crc32' in zlib)('agrees with the one of the platform', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(crc32(bytes)).toBe(zlib.crc32(bytes))
    }),
  )
})
