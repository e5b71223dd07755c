import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors.ts'
import { RateLimit } from './rate-limit.ts'

const secondsToWait = (work: () => void): number | undefined => {
  try {
    work()
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(GatewayError)
    return (error as GatewayError).details['retryAfter'] as number
  }
}

describe('RateLimit', () => {
  it('limits each key, reports the time to wait, and allows requests after that', () => {
    let now = 0
    const limit = new RateLimit(6, () => now)
    for (let request = 0; request < 6; request++) limit.take('a')
    expect(secondsToWait(() => limit.take('a'))).toBe(10)
    expect(secondsToWait(() => limit.take('b'))).toBeUndefined()
    now = 9_999
    expect(secondsToWait(() => limit.take('a'))).toBe(1)
    now = 10_000
    expect(secondsToWait(() => limit.take('a'))).toBeUndefined()
    expect(secondsToWait(() => limit.take('a'))).toBe(10)
    now = 1_000_000
    for (let request = 0; request < 6; request++) limit.take('a')
    expect(secondsToWait(() => limit.take('a'))).toBe(10)
  })

  it('bounds the memory for many keys, and keeps keys independent', () => {
    const limit = new RateLimit(1, () => 0)
    for (let key = 0; key < 50_000; key++) limit.take(String(key))
    expect(secondsToWait(() => limit.take('49999'))).toBe(60)
    // Evicted, so it starts over.
    expect(secondsToWait(() => limit.take('0'))).toBeUndefined()
  })
})
