import { expect, it } from 'vitest'
import { eventsIn } from './events.ts'

const streamOf = (pieces: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

it('reads events from a stream that is cut anywhere, and leaves out comments', async () => {
  const text =
    ': hello\n\nevent: change\ndata: {"what":"é"}\n\n: still here\n\nevent: line\ndata: {"line":"a: b"}\n\nevent: cut'
  const bytes = new TextEncoder().encode(text)
  for (const size of [1, 2, 3, 7, bytes.length]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, (at + 1) * size),
    )
    const found: unknown[] = []
    for await (const { event, data } of eventsIn(streamOf(pieces))) found.push([event, JSON.parse(data)])
    expect(found).toEqual([
      ['change', { what: 'é' }],
      ['line', { line: 'a: b' }],
    ])
  }
})
