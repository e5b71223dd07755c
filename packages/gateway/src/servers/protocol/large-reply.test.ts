import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LARGE_REPLY, LargeReply } from './large-reply.ts'
import { RawJson, withoutRaw } from './raw-json.ts'

/** As long as nothing else is. */
const LONG = 'x'.repeat(LARGE_REPLY)
const BLOCK = JSON.stringify({ type: 'text', text: LONG })

function read(text: string | Buffer, size = 65_536) {
  const bytes = Buffer.from(text)
  const reply = new LargeReply()
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  for (const piece of pieces) reply.add(piece)
  return reply.message(pieces)
}

type Message = { result: { content: unknown; structuredContent?: unknown } }
const contentOf = (message: unknown) => (message as Message).result.content

describe('LargeReply', () => {
  it('parses everything around the content, and leaves the content byte for byte', () => {
    const content = `[ ${BLOCK}, {"n" : 1.50, "s":"\\u00e9é😀", "s":2} ]`
    const text = `{"jsonrpc":"2.0", "id":7,"result":{"isError":false,"content":${content},"_meta":{"a":[1]}}}`
    const message = read(text)
    expect(message).toMatchObject({ jsonrpc: '2.0', id: 7, result: { isError: false, _meta: { a: [1] } } })
    const raw = contentOf(message) as RawJson
    expect(raw).toBeInstanceOf(RawJson)
    expect(Buffer.concat(raw.pieces).toString()).toBe(content)
    expect(Object.keys((message as Message).result)).toEqual(['isError', 'content', '_meta'])
    expect(JSON.parse(JSON.stringify(message))).toEqual(JSON.parse(text))
  })

  it('agrees with JSON.parse, however the text is cut', () => {
    const around = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
    fc.assert(
      fc.property(
        around,
        around,
        fc.jsonValue(),
        fc.integer({ min: 1_000, max: 70_000 }),
        (top, inner, structured, size) => {
          const result = { ...inner, content: [LONG, structured], structuredContent: { structured } }
          const text = JSON.stringify({ ...top, jsonrpc: '2.0', id: 1, result })
          const message = read(text, size)
          // Names with escapes are left to those who read it whole.
          if (message === undefined) {
            expect(text).toContain('\\')
            return
          }
          expect({ ...message, result: withoutRaw((message as Message).result) }).toEqual(JSON.parse(text))
        },
      ),
      { numRuns: 60 },
    )
  })

  it.each([
    ['is broken at its end', `{"jsonrpc":"2.0","id":1,"result":{"content":[${BLOCK}]}`],
    ['is broken in its content', `{"jsonrpc":"2.0","id":1,"result":{"content":[${BLOCK}}}}`],
    ['has something behind it', `{"jsonrpc":"2.0","id":1,"result":{"content":[${BLOCK}]}} x`],
    ['is a batch', `[{"jsonrpc":"2.0","id":1,"result":{"content":[${BLOCK}]}}]`],
    ['has two results', `{"result":{"content":[${BLOCK}]},"id":1,"result":{}}`],
    ['has two contents', `{"id":1,"result":{"content":[${BLOCK}],"content":[]}}`],
    ['has a name that is escaped', `{"id":1,"result":{"content":[${BLOCK}],"cont\\u0065nt":[]}}`],
    ['has content that is no list', `{"id":1,"result":{"content":${BLOCK}}}`],
    ['has content elsewhere', `{"id":1,"params":{"content":[${BLOCK}]}}`],
    ['is an error', `{"id":1,"error":{"content":[${BLOCK}]}}`],
    ['is large beside its content', `{"id":1,"result":{"content":[],"other":${BLOCK}}}`],
  ])('leaves to JSON.parse a message that %s', (_, text) => {
    expect(read(text)).toBeUndefined()
  })

  it.each([
    ['{"id":7,"jsonrpc":"2.0","result":', 7],
    ['{ "id" : "a\\"b" , "result":', 'a"b'],
    ['{"result":1,"id":-12}', -12],
    ['{"id":null,"result":', undefined],
    ['{"id":{"id":7},"result":', undefined],
    ['{"result":{"id":7},"x":', undefined],
  ])('knows the id as soon as it has arrived: %s', (text, id) => {
    for (const size of [1, 5, 100]) {
      const reply = new LargeReply()
      for (let at = 0; at < text.length; at += size) reply.add(Buffer.from(text.slice(at, at + size)))
      expect(reply.envelope.id).toBe(id)
    }
  })

  it('leaves to JSON.parse a message that is not UTF-8', () => {
    const text = `{"id":1,"result":{"content":[${BLOCK}]}}`
    const bytes = Buffer.from(text)
    expect(read(bytes)).toBeDefined()
    bytes[text.indexOf('xxx')] = 0xc3
    expect(read(bytes)).toBeUndefined()
  })
})

describe('withoutRaw', () => {
  it('reads raw values where results have them, and leaves the rest as it is', () => {
    const raw = new RawJson([Buffer.from('[1,'), Buffer.from('2]')])
    const kept = { a: 1 }
    const result = { content: raw, structuredContent: { result: raw }, kept }
    expect(withoutRaw(result)).toEqual({ content: [1, 2], structuredContent: { result: [1, 2] }, kept })
    expect(withoutRaw(result).kept).toBe(kept)
    const plain = { content: [{ text: 'x' }], n: null }
    expect(withoutRaw(plain)).toBe(plain)
  })
})
