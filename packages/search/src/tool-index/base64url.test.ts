import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64Url, toBase64Url } from './base64url.ts'

describe('base64url', () => {
  it('writes as the platform does and reads it back', () => {
    const triples = fc
      .array(fc.uint8Array({ minLength: 3, maxLength: 3 }))
      .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])))
    fc.assert(
      fc.property(triples, (bytes) => {
        const text = toBase64Url(bytes)
        expect(text).toBe(Buffer.from(bytes).toString('base64url'))
        expect(fromBase64Url(text)).toEqual(bytes)
      }),
    )
  })

  it.each(['A', 'AAA', 'AA==', 'AAA+', 'AAA/', 'AA A', 'AAAé', 'AAAAA'])('does not read %j', (text) => {
    expect(fromBase64Url(text)).toBeUndefined()
  })
})
