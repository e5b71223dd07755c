import { describe, expect, it } from 'vitest'
import { sipHash } from './siphash.ts'

/** `vectors_sip64` of the reference implementation, as numbers: message i is the bytes 0 … i-1, the key 0 … 15. */
const REFERENCE = [
  '726fdb47dd0e0e31',
  '74f839c593dc67fd',
  '0d6c8009d9a94f5a',
  '85676696d7fb7e2d',
  'cf2794e0277187b7',
  '18765564cd99a68d',
  'cbc9466e58fee3ce',
  'ab0200f58b01d137',
  '93f5f5799a932462',
  '9e0082df0ba9e4b0',
  '7a5dbbc594ddb9f3',
  'f4b32f46226bada7',
  '751e8fbc860ee5fb',
  '14ea5627c0843d90',
  'f723ca908e7af2ee',
  'a129ca6149be45e5',
]

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => i)
const hex = ({ high, low }: { high: number; low: number }) =>
  [high, low].map((half) => half.toString(16).padStart(8, '0')).join('')

describe('sipHash', () => {
  it.each(REFERENCE.map((hash, length) => ({ length, hash })))(
    '[T10] is $hash for $length bytes',
    ({ length, hash }) => {
      expect(hex(sipHash(bytes(16), bytes(length)))).toBe(hash)
    },
  )

  it('agrees with the reference on its longest message', () => {
    expect(hex(sipHash(bytes(16), bytes(63)))).toBe('958a324ceb064572')
  })

  it('reads a view into a larger buffer', () => {
    const buffer = Uint8Array.from([9, 9, 9, ...bytes(15)])
    expect(hex(sipHash(bytes(16), buffer.subarray(3)))).toBe(REFERENCE[15])
  })
})
