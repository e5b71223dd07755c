import { describe, expect, it } from 'vitest'
import { Breaker } from './breaker.ts'

function breakerAt(start: number) {
  let at = start
  const breaker = new Breaker({ failures: 3, openMs: 1_000, now: () => at })
  return { breaker, pass: (ms: number) => void (at += ms) }
}

describe('Breaker', () => {
  it('[R30] opens with the third failure in a row, and only in a row', () => {
    const { breaker } = breakerAt(0)
    breaker.failed('one')
    breaker.failed('two')
    breaker.succeeded()
    breaker.failed('one')
    breaker.failed('two')
    expect(breaker.isOpen).toBe(false)
    breaker.failed('three')
    expect([breaker.isOpen, breaker.reason]).toEqual([true, 'three'])
  })

  it('says when it has been open for long enough', () => {
    const { breaker, pass } = breakerAt(5)
    for (const reason of ['a', 'b', 'c']) breaker.failed(reason)
    pass(999)
    expect(breaker.isDue).toBe(false)
    pass(1)
    expect([breaker.isDue, breaker.isOpen]).toEqual([true, true])
    breaker.failed('d')
    expect(breaker.isDue).toBe(false)
  })

  it('opens again with the first failure after it let somebody try', () => {
    const { breaker } = breakerAt(0)
    for (const reason of ['a', 'b', 'c']) breaker.failed(reason)
    breaker.letTry()
    expect(breaker.isOpen).toBe(false)
    breaker.failed('d')
    expect(breaker.isOpen).toBe(true)
  })
})
