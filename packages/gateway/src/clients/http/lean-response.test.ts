import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { LeanResponse } from './lean-response.ts'

/** A response on a connection that is never written to. */
function response(): LeanResponse {
  const socket = {} as unknown as Socket
  return new LeanResponse({ socket, date: () => '', keepAliveSeconds: 5, onFinished: () => {} })
}

describe('LeanResponse', () => {
  it('tells whoever listens once, and nobody who does not any more', () => {
    const told: string[] = []
    const listener = (name: string) => (): void => void told.push(name)
    const [first, second, left] = [listener('first'), listener('second'), listener('left')]
    const res = response()
    res.once('drain', first).once('close', second).once('drain', left).off('drain', left)
    res.emit('drain')
    expect(told).toEqual(['first'])
    res.emit('drain')
    res.lost()
    res.lost()
    expect(told).toEqual(['first', 'second'])
    expect(res.destroyed).toBe(true)
  })

  it('lets a listener take back others while it is told', () => {
    const told: string[] = []
    const res = response()
    const done = (): void => {
      res.off('drain', done).off('close', done)
      told.push('done')
    }
    res.once('drain', done).once('close', done)
    res.emit('drain')
    res.lost()
    expect(told).toEqual(['done'])
  })
})
