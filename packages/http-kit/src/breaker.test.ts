import { describe, expect, it } from 'vitest'
import { CircuitBreaker } from './breaker.ts'

function breakerAt(start: number) {
  let at = start
  const breaker = new CircuitBreaker({ failures: 3, openMs: 1_000, now: () => at })
  return { breaker, pass: (ms: number) => void (at += ms) }
}

function openBreakerAt(start: number) {
  const made = breakerAt(start)
  for (const reason of ['a', 'b', 'c']) made.breaker.failed(reason)
  return made
}

describe('CircuitBreaker', () => {
  it('[R30] opens with the third consecutive failure', () => {
    const { breaker } = breakerAt(0)
    breaker.failed('one')
    breaker.failed('two')
    breaker.succeeded()
    breaker.failed('one')
    breaker.failed('two')
    expect([breaker.isOpen, breaker.enter()]).toEqual([false, 0])
    breaker.failed('three')
    expect([breaker.isOpen, breaker.reason]).toEqual([true, 'three'])
  })

  it('fails fast while it is open, then lets one trial through', () => {
    const { breaker, pass } = openBreakerAt(5)
    pass(999)
    expect(breaker.enter()).toBe(1)
    pass(1)
    expect([breaker.enter(), breaker.isOpen]).toEqual([0, true])
    expect(breaker.enter()).toBe(1_000)
  })

  it('stays open after a failed trial and closes after a successful one', () => {
    const { breaker, pass } = openBreakerAt(0)
    pass(1_000)
    breaker.enter()
    breaker.failed('d')
    expect(breaker.enter()).toBe(1_000)
    pass(1_000)
    breaker.enter()
    breaker.succeeded()
    expect([breaker.isOpen, breaker.enter()]).toEqual([false, 0])
  })

  it('lets another trial through when one was abandoned', () => {
    const { breaker, pass } = openBreakerAt(0)
    pass(1_000)
    breaker.enter()
    breaker.abandoned()
    expect([breaker.enter(), breaker.enter()]).toEqual([0, 1_000])
  })

  it('opens again with the first failure after it was half open', () => {
    const { breaker } = openBreakerAt(0)
    breaker.halfOpen()
    expect([breaker.isOpen, breaker.enter()]).toEqual([false, 0])
    breaker.failed('d')
    expect(breaker.isOpen).toBe(true)
  })
})
