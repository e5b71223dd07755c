import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../../../test/kit/processor-time.ts'
import { RawJson } from '../protocol/raw-json.ts'
import { MessageReader } from './framing.ts'

const LIMIT = 2_000

/** Everything that a reader tells, in order. */
function read(chunks: readonly (Buffer | string)[], limit = LIMIT) {
  const seen = { messages: [] as unknown[], noise: [] as string[], broken: [] as unknown[], oversize: [] as unknown[] }
  const reader = new MessageReader(limit, {
    message: (message) => seen.messages.push(message),
    noise: (bytes) => seen.noise.push(bytes.toString()),
    broken: ({ id, isJson }) => seen.broken.push({ id, isJson }),
    oversize: ({ id, keys }) => seen.oversize.push({ id, isReply: !keys.has('method') }),
  })
  for (const chunk of chunks) reader.push(Buffer.from(chunk))
  reader.end()
  return seen
}

const reply = (id: number, text = 'ok') => ({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } })
const line = (value: unknown): string => `${JSON.stringify(value)}\n`

describe('MessageReader', () => {
  it('reads a message per line, with any line end, blank lines, a byte order mark and a last line without end', () => {
    const text = `\uFEFF${JSON.stringify(reply(1))}\r\n\n \t\r\n${line(reply(2))}${JSON.stringify(reply(3))}`
    expect(read([text])).toMatchObject({ messages: [reply(1), reply(2), reply(3)], noise: [], broken: [] })
  })

  it('leaves the content of a large reply as it is, and finds a large one broken', () => {
    const large = JSON.stringify(reply(1, 'x'.repeat(400_000)))
    const inPieces = (text: string) => text.match(/[^]{1,60000}/g) ?? []
    const { messages } = read(inPieces(`${large}\r\n${line(reply(2))}`), 1_000_000)
    expect((messages[0] as ReturnType<typeof reply>).result.content).toBeInstanceOf(RawJson)
    expect(JSON.stringify(messages[0])).toBe(large)
    expect(messages[1]).toEqual(reply(2))
    for (const broken of [large.slice(0, -1), large.replace('}]', '}}'), `${large.slice(0, -2)},}}`]) {
      expect(read(inPieces(`${broken}\n${line(reply(2))}`), 1_000_000)).toMatchObject({
        messages: [reply(2)],
        broken: [{ id: 1, isJson: false }],
      })
    }
    expect(read(inPieces(`${large}\n`), 300_000)).toMatchObject({ messages: [], oversize: [{ id: 1, isReply: true }] })
  })

  it('finds the id of a message that is too long to keep, at any place and after any text', () => {
    const result = { content: Array.from({ length: 30_000 }, (_, n) => ({ type: 'text', text: `${n} "id":7` })) }
    const first = JSON.stringify({ jsonrpc: '2.0', id: 'first', result })
    const last = JSON.stringify({ result, jsonrpc: '2.0', id: 8 })
    const inPieces = (text: string) => text.match(/[^]{1,60000}/g) ?? []
    for (const [text, id] of [
      [first, 'first'],
      [last, 8],
      [`ready> ${last}`, 8],
    ] as const) {
      const { messages, oversize } = read(inPieces(`${text}\n${line(reply(2))}`), 1_000_000)
      expect({ messages, oversize }).toEqual({ messages: [reply(2)], oversize: [{ id, isReply: true }] })
    }
    const { noise } = read(inPieces(`{"level":"info","text":${JSON.stringify(last)}}\n`), 1_000_000)
    expect(noise).toHaveLength(1)
  })

  it('reads the messages of a batch', () => {
    expect(read([line([reply(1), reply(2)])]).messages).toEqual([reply(1), reply(2)])
  })

  it('passes over what is no message and keeps it for the log', () => {
    const noise = [
      'Server ready on stdio',
      '{ a: 1, b: 2 }',
      '{"level":"info","id":3}',
      '[1,2]',
      '{"half": "a log',
      '"x"',
    ]
    expect(read([...noise.map((text) => `${text}\n`), line(reply(1))])).toMatchObject({
      messages: [reply(1)],
      noise,
      broken: [],
    })
  })

  it('finds messages beside colour codes and without a newline between', () => {
    const text = `\u001b[32m${JSON.stringify(reply(1))}\u001b[0m\n${JSON.stringify(reply(2))}${line(reply(3))}`
    expect(read([text])).toMatchObject({ messages: [reply(1), reply(2), reply(3)], broken: [] })
  })

  it('takes only whole replies from behind other text, which may be a log that quotes a message', () => {
    const request = { jsonrpc: '2.0', id: 9, method: 'tools/call', params: {} }
    const text = `Loading ... ${line(reply(1))}received ${line(request)}sending {"jsonrpc":"2.0","id":2,"result":{"con\n`
    expect(read([text])).toMatchObject({ messages: [reply(1)], broken: [] })
  })

  it('tells a broken reply, with its id where it can be made out', () => {
    const text = '{"jsonrpc":"2.0","id":5,"result":{"content":[\n{"jsonrpc":"2.0", oops}\n{"jsonrpc":"2.0","id":6}\n'
    expect(read([text]).broken).toEqual([
      { id: 5, isJson: false },
      { id: undefined, isJson: false },
      { id: 6, isJson: true },
    ])
  })

  it('tells whose reply is too large, wherever the id stands, and reads on', () => {
    const big = 'x'.repeat(LIMIT)
    const behind = { result: { content: [{ type: 'text', text: big }] }, jsonrpc: '2.0', id: 2 }
    expect(read([line(reply(1, big)) + line(behind) + line(reply(3))])).toEqual({
      messages: [reply(3)],
      noise: [],
      broken: [],
      oversize: [
        { id: 1, isReply: true },
        { id: 2, isReply: true },
      ],
    })
  })

  it('tells of a reply that never ends as soon as its id is known', () => {
    const endless: unknown[] = []
    const reader = new MessageReader(LIMIT, {
      message: () => undefined,
      noise: () => undefined,
      broken: () => undefined,
      oversize: ({ id }) => endless.push(id),
    })
    reader.push(Buffer.from('{"jsonrpc":"2.0","id":8,"result":{"text":"'))
    for (let count = 0; count < 50; count++) reader.push(Buffer.from('y'.repeat(100)))
    expect(endless).toEqual([8])
  })

  it('does not take a large request of the server for a reply, nor a long print for a message', () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: { text: 'x'.repeat(LIMIT) } }
    const seen = read([line(request), `${'blah { '.repeat(LIMIT)}\n`, line({ id: 4, log: 'x'.repeat(LIMIT) })])
    expect(seen.oversize).toEqual([{ id: 1, isReply: false }])
    expect(seen.noise).toHaveLength(2)
  })

  it('stays fast with lines made to be slow', async () => {
    const slow = ['{"', '{', '[', '\u001b[[', '{"a":', '\\"', '{ ', '\u001b]'].map((unit) => `${unit.repeat(50_000)}\n`)
    expect(await processorMs(() => read(slow, 2 ** 20))).toBeLessThan(2_000)
  })
})

describe('MessageReader, with any output in any pieces', () => {
  const id = fc.nat(1_000)
  const good = fc
    .tuple(id, fc.string({ unit: 'grapheme', maxLength: 40 }))
    .map(([n, text]) => ({ kind: 'good', value: reply(n, text) }))
  const big = fc.tuple(id, fc.boolean(), fc.constantFrom('x', '"', '\\', 'é', '日')).map(([n, first, unit]) => {
    const { result } = reply(n, unit.repeat(LIMIT + 1))
    return { kind: 'big', value: first ? { jsonrpc: '2.0', id: n, result } : { result, jsonrpc: '2.0', id: n } }
  })
  const noise = fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom('\u001b[31mred', '{ a: 1 }', '{', '}', '[', 'ready'),
    )
    .map((text) => ({ kind: 'noise', value: text.replaceAll('\n', '').replaceAll('"', '') }))
  const items = fc.array(fc.oneof({ weight: 3, arbitrary: good }, { weight: 1, arbitrary: big }, noise), {
    maxLength: 12,
  })

  it('loses no message, finds every message that is too large, and does not depend on the pieces', () => {
    fc.assert(
      fc.property(items, fc.array(fc.integer({ min: 1, max: 700 })), (list, sizes) => {
        const bytes = Buffer.from(
          list.map(({ value }) => (typeof value === 'string' ? `${value}\n` : line(value))).join(''),
        )
        const chunks: Buffer[] = []
        let at = 0
        for (const size of sizes) {
          chunks.push(bytes.subarray(at, at + size))
          at += size
        }
        const seen = read([...chunks, bytes.subarray(at)])
        expect(seen.messages).toEqual(list.filter(({ kind }) => kind === 'good').map(({ value }) => value))
        const large = list.filter(({ kind }) => kind === 'big').map(({ value }) => (value as { id: number }).id)
        expect(seen.oversize).toEqual(large.map((n) => ({ id: n, isReply: true })))
        expect(seen.broken).toEqual([])
        expect(seen).toEqual(read([bytes]))
      }),
      { numRuns: 300 },
    )
  })

  it('survives any bytes at all', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void read([Buffer.from(bytes), '\n', line(reply(1))])),
    )
  })
})
