import { describe, expect, it } from 'vitest'
import { encodeResult } from './answer.ts'

const INFO = { name: 'tooldex', version: '1' }
const IDENTITY = 'io.modelcontextprotocol/serverInfo'

describe('A result for a client with a session', () => {
  it('is the same object if the era allows it', () => {
    const call = { content: [{ type: 'image', data: '…', extra: 1 }], structuredContent: { a: [1] }, _meta: { k: 1 } }
    expect(encodeResult('legacy', 'tools/call', call, INFO)).toBe(call)
    const list = { tools: [{ name: 't', outputSchema: { type: 'object' } }] }
    expect(encodeResult('legacy', 'tools/list', list, INFO)).toBe(list)
  })

  it.each([[[1, 2]], ['text'], [0], [null], [false]])('wraps structured content %j that is no object', (value) => {
    const result = { content: [], structuredContent: value }
    expect(encodeResult('legacy', 'tools/call', result, INFO)).toEqual({
      content: [{ type: 'text', text: JSON.stringify(value) }],
      structuredContent: { result: value },
    })
    const withText = { content: [{ type: 'text', text: 'said' }], structuredContent: value }
    expect(encodeResult('legacy', 'tools/call', withText, INFO)['content']).toBe(withText.content)
  })

  it('has no fields of the newer era', () => {
    const result = { resultType: 'complete', content: [], _meta: { [IDENTITY]: { name: 'server' }, kept: 1 } }
    expect(encodeResult('legacy', 'tools/call', result, INFO)).toEqual({ content: [], _meta: { kept: 1 } })
  })
})

describe('A result for a client of 2026-07-28', () => {
  it('names its type and the gateway, and keeps the rest', () => {
    const result = { content: [], structuredContent: [1], _meta: { [IDENTITY]: { name: 'server' }, kept: 1 } }
    expect(encodeResult('modern', 'tools/call', result, INFO)).toEqual({
      content: [],
      structuredContent: [1],
      resultType: 'complete',
      _meta: { kept: 1, [IDENTITY]: INFO },
    })
    expect(result).not.toHaveProperty('resultType')
  })

  it('names the caching of lists, unless it is there already', () => {
    const known = { prompts: [], ttlMs: 60_000, cacheScope: 'public' }
    expect(encodeResult('modern', 'prompts/list', known, INFO)).toMatchObject(known)
    expect(encodeResult('modern', 'resources/read', { contents: [] }, INFO)).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    })
    expect(encodeResult('modern', 'tools/call', { content: [] }, INFO)).not.toHaveProperty('ttlMs')
  })

  it('keeps a request for input unchanged', () => {
    const wish = { resultType: 'input_required', inputRequests: { a: {} }, requestState: 's' }
    expect(encodeResult('modern', 'resources/read', wish, INFO)).toEqual({ ...wish, _meta: { [IDENTITY]: INFO } })
  })
})
