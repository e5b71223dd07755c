import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventReader, type StreamEvent } from './event-reader.ts'

function read(pieces: readonly (string | Buffer)[], maxBytes = 1_000) {
  const events: StreamEvent[] = []
  const retries: number[] = []
  const skipped: unknown[] = []
  let tooLarge = 0
  const reader = new EventReader(maxBytes, {
    event: (event) => events.push(event),
    retry: (ms) => retries.push(ms),
    tooLarge: () => tooLarge++,
    skipped: ({ id, keys }) => skipped.push([id, keys.has('method')]),
  })
  for (const piece of pieces) reader.add(Buffer.from(piece))
  return { events, retries, tooLarge, skipped }
}

const message = (data: string) => ({ id: undefined, type: 'message', data })

describe('EventReader', () => {
  it('reads the same events, however they are cut', () => {
    const texts = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), { maxLength: 5 })
    fc.assert(
      fc.property(texts, fc.constantFrom('\n', '\r\n'), fc.integer({ min: 1, max: 9 }), (values, end, size) => {
        const data = values.map((value) => JSON.stringify(value))
        const bytes = Buffer.from(data.map((each) => `event: message${end}data: ${each}${end}${end}`).join(''))
        const pieces = []
        for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
        expect(read(pieces).events).toEqual(data.map(message))
      }),
    )
  })

  it('joins lines of data, and reads ids, names and the retry time', () => {
    const { events, retries } = read(['\uFEFFid: 7\nevent: ping\ndata: a\ndata:b\nretry: 250\n: comment\n\nid\n\n'])
    expect(events).toEqual([
      { id: '7', type: 'ping', data: 'a\nb' },
      { id: '', type: 'message', data: '' },
    ])
    expect(retries).toEqual([250])
  })

  it('reports no comments, no empty events, and no incomplete one', () => {
    expect(read([': keepalive\n\n', '\n\n', 'event: x\n\n', 'data: cut off']).events).toEqual([])
  })

  it('reads a large reply as it arrives, and any other large event at its end', () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: ['x'.repeat(300_000)] } })
    const inPieces = (all: string) => all.match(/[^]{1,60000}/g) ?? []
    for (const end of ['\n', '\r\n']) {
      const { events } = read(inPieces(`id: 1${end}data: ${text}${end}${end}data: next${end}${end}`), 1_000_000)
      expect(events).toMatchObject([{ id: '1', data: '', reply: { id: 1 } }, { data: 'next' }])
      expect(JSON.stringify(events[0]?.reply)).toBe(text)
    }
    const broken = text.slice(0, -1)
    expect(read(inPieces(`data: ${broken}\n\n`), 1_000_000).events).toEqual([message(broken)])
    expect(read(inPieces(`data: ${text}\ndata: more\n\n`), 1_000_000).events).toEqual([message(`${text}\nmore`)])
    expect(read(inPieces(`: ${text}\n\ndata:${text}\n\n`), 1_000_000).events).toMatchObject([{ reply: { id: 1 } }])
  })

  it('skips an event that is too large, reports it once, and continues with the next', () => {
    for (const size of [1, 7, 5_000]) {
      const text = `data: ${'x'.repeat(2_000)}\ndata: ${'y'.repeat(2_000)}\r\n\r\ndata: next\n\n`
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      expect(read(pieces)).toMatchObject({ events: [message('next')], tooLarge: 1 })
    }
  })

  it('reads the envelope of an event that is too large', () => {
    const content = ['{"id":1}'.repeat(300), 'x']
    const texts = [
      { jsonrpc: '2.0', id: 5, result: { content } },
      { result: { content }, id: 6 },
      { method: 'x', id: 7, content },
    ]
    for (const size of [1, 7, 5_000]) {
      const text = texts.map((each) => `event: message\ndata: ${JSON.stringify(each)}\r\n\r\n`).join('')
      const pieces = `${text}data: next\n\n`.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      expect(read(pieces)).toMatchObject({
        events: [message('next')],
        skipped: [
          [5, false],
          [6, false],
          [7, true],
        ],
      })
    }
  })
})
