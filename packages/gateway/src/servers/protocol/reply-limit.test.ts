import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { limitEvents } from './reply-limit.ts'

async function through(stream: TransformStream<Uint8Array, Uint8Array>, text: string, chunkBytes: number) {
  const bytes = new TextEncoder().encode(text)
  const source = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += chunkBytes) controller.enqueue(bytes.subarray(at, at + chunkBytes))
      controller.close()
    },
  })
  return new Response(source.pipeThrough(stream)).text()
}

const event = (data: string, lineEnd = '\n') => `event: message${lineEnd}data: ${data}${lineEnd}${lineEnd}`

describe('limitEvents', () => {
  it('changes nothing below the limit, however the bytes are cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ maxLength: 60 })), fc.integer({ min: 1, max: 50 }), async (texts, size) => {
        const stream = texts.map((text, n) => event(JSON.stringify(text), n % 2 ? '\r\n' : '\n')).join('')
        const watch = { onCut: () => expect.unreachable(), onSkipped: () => expect.unreachable() }
        expect(await through(limitEvents(1_000, watch), stream, size)).toBe(stream)
      }),
    )
  })

  it.each([1, 3, 64, 100_000])('cuts one event and goes on with the next, in chunks of %i bytes', async (size) => {
    const cuts: string[] = []
    const watch = {
      onCut: () => cuts.push('cut'),
      onSkipped: (head: string, tail: string) => cuts.push(head.slice(0, 23), tail.trim().slice(-9)),
    }
    const big = event(`{"result":"${'x'.repeat(5_000)}","id":4711}`)
    const text = await through(limitEvents(1_000, watch), `${event('1')}${big}${event('2')}`, size)
    expect(text.startsWith(event('1'))).toBe(true)
    expect(text.endsWith(`\n\n${event('2')}`)).toBe(true)
    expect(text.length).toBeLessThan(1_200)
    expect(cuts).toEqual(['cut', 'event: message\ndata: {"', 'id":4711}'])
  })
})
