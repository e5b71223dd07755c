import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { messageCost, OutputThrottle } from './output-throttle.ts'

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

  it('stops reading inside a chunk of many messages, and reads the rest later', async () => {
    const stream = new PassThrough({ highWaterMark: 1_000_000 })
    const lines: string[] = []
    const gate = OutputThrottle.reading(stream, (piece) => {
      for (const line of piece.toString().split('\n').slice(0, -1)) {
        lines.push(line)
        gate.spend(messageCost('sampling/createMessage'))
      }
    })
    const sent = Array.from({ length: 400 }, (_, at) => `${at} ${'x'.repeat(150)}`)
    stream.write(`${sent.join('\n')}\n`)
    await vi.advanceTimersByTimeAsync(0)
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.length).toBeLessThan(40)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(lines).toEqual(sent)
  })

  it('reads fewer requests than notifications in the same time', () => {
    const readIn = (method: string): number => {
      const gate = new OutputThrottle(new PassThrough().resume())
      let read = 1
      while (gate.spend(messageCost(method))) read++
      return read
    }
    expect(readIn('sampling/createMessage')).toBe(3)
    expect(readIn('notifications/progress')).toBe(11)
    expect(readIn('notifications/tools/list_changed')).toBe(201)
  })

  it('reads a long line in several turns, and lets other work run in between', async () => {
    const stream = new PassThrough({ highWaterMark: 1_000_000 })
    const sizes: number[] = []
    OutputThrottle.reading(stream, (piece) => void sizes.push(piece.length))
    const paused = once(stream, 'pause')
    stream.write(Buffer.alloc(40_000, 'a'))
    await paused
    expect(sizes).toEqual([16_384])
    await vi.advanceTimersByTimeAsync(10)
    expect(sizes).toEqual([16_384, 16_384, 7_232])
  })

  it('reads the rest at once when it is opened in the middle of a chunk', async () => {
    const stream = new PassThrough({ highWaterMark: 1_000_000 })
    let read = 0
    const gate = OutputThrottle.reading(stream, (piece) => void (read += piece.length))
    const paused = once(stream, 'pause')
    stream.end(Buffer.alloc(100_000, 'a'))
    await paused
    expect(read).toBe(16_384)
    gate.open()
    await once(stream, 'end')
    expect(read).toBe(100_000)
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
