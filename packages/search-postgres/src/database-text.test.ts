import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isStorable, sortKeyOf, termKeyOf } from './database-text.ts'

describe('sortKeyOf', () => {
  it('sorts as code units do', () => {
    const text = fc.string({ unit: 'binary' })
    fc.assert(
      fc.property(text, text, (a, b) => {
        const byUnits = a < b ? -1 : a > b ? 1 : 0
        expect(Buffer.compare(sortKeyOf(a), sortKeyOf(b))).toBe(byUnits)
      }),
    )
  })
})

describe('termKeyOf', () => {
  it('leaves words alone, and makes long ones short and different', () => {
    expect(termKeyOf('issue')).toBe('issue')
    const [one, other] = [termKeyOf(`${'x'.repeat(3_000)}1`), termKeyOf(`${'x'.repeat(3_000)}2`)]
    expect(one).not.toBe(other)
    expect(one.length).toBeLessThan(100)
  })

  it('never cuts a character in two', () => {
    expect(isStorable(termKeyOf(`x${'😀'.repeat(100)}`))).toBe(true)
  })
})

describe('isStorable', () => {
  it.each(['a\u0000', '\ud800', 7, undefined])('refuses %j', (text) => expect(isStorable(text)).toBe(false))
})
