import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromStorable, toStorable } from './storable-text.ts'

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('\0', '\u0001', '\ud800', '\udc00', '"', '\\'), fc.string()),
})

describe('toStorable', () => {
  it('makes distinct texts that every database stores unchanged', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = toStorable(text)
        expect(stored.includes('\0')).toBe(false)
        expect(stored.isWellFormed()).toBe(true)
        expect(fromStorable(stored)).toBe(text)
      }),
    )
  })

  it('does not change ordinary text', () => expect(toStorable('github:create_issue')).toBe('github:create_issue'))
})
