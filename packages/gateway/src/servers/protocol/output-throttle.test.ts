import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OutputThrottle } from './output-throttle.ts'

describe('OutputThrottle', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('holds a stream back until the windows that it has used up are over', () => {
    const stream = new PassThrough().resume()
    const gate = new OutputThrottle(stream, { cost: 100, windowMs: 10 })
    expect(gate.spend(60)).toBe(true)
    expect(gate.spend(150)).toBe(false)
    expect(stream.isPaused()).toBe(true)
    vi.advanceTimersByTime(10)
    expect(stream.isPaused()).toBe(true)
    vi.advanceTimersByTime(10)
    expect(stream.isPaused()).toBe(false)
    expect(gate.spend(50)).toBe(true)
  })

  it('leaves no timer behind once the stream is quiet', () => {
    const gate = new OutputThrottle(new PassThrough().resume(), { cost: 100, windowMs: 10 })
    gate.spend(250)
    vi.advanceTimersByTime(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('holds nothing back any more once it is open', () => {
    const stream = new PassThrough().resume()
    const gate = new OutputThrottle(stream, { cost: 100, windowMs: 10 })
    gate.spend(1_000)
    gate.open()
    gate.spend(1_000)
    expect(stream.isPaused()).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })
})
