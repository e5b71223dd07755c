import { describe, expect, it } from 'vitest'
import { RawJson } from '../../servers/protocol/raw-json.ts'
import { resultFor } from './result-for-client.ts'

const image = { type: 'image', data: 'x'.repeat(100_000), mimeType: 'image/png' }
const text = { type: 'text', text: '"type":"image" \\' }
const raw = (value: unknown): RawJson => new RawJson([Buffer.from(JSON.stringify(value, undefined, 1))])

describe('A result for a client', () => {
  it('[R35] is the same object for a client without exceptions', async () => {
    const result = { content: [image], structuredContent: { a: 1 }, isError: true }
    for (const name of ['claude-code', 'codex', undefined, 7]) expect(await resultFor(name, result)).toBe(result)
    const plain = { content: [] }
    expect(await resultFor('codex-mcp-client', plain)).toBe(plain)
  })

  it.each([
    [{ structuredContent: { a: 1 } }],
    [{ structuredContent: { a: 1 }, content: [] }],
    [{ structuredContent: { a: 1 }, content: new RawJson([Buffer.from('[\n]')]) }],
  ])('[R35] has structured content without content as text, too', async (result) => {
    expect(await resultFor('x', result)).toEqual({ ...result, content: [{ type: 'text', text: '{"a":1}' }] })
  })

  it.each([
    ['parsed', (value: unknown) => value],
    ['raw', raw],
  ])('[R35] keeps images in place of structured content where a client shows only one, %s', async (_, given) => {
    const others = { isError: false, _meta: { a: 1 } }
    const seen = (blocks: unknown[]) =>
      resultFor('codex-mcp-client', { content: given(blocks), structuredContent: given({ a: 1 }), ...others })
    expect(await seen([text, image])).toEqual({ content: given([text, image]), ...others })
    expect(await seen([{ type: 'resource', resource: { uri: 'a:b' } }])).not.toHaveProperty('structuredContent')
    expect(await seen([text, text])).toHaveProperty('structuredContent')
    expect(await seen([7, null, 'image'])).toHaveProperty('structuredContent')
  })
})
