import { describe, expect, it } from 'vitest'
import { readExecute, wrapResult } from './execute-tool.ts'

describe('readExecute', () => {
  it.each([
    [{ toolKey: 's:t', arguments: { a: 1 } }, { a: 1 }],
    [{ toolKey: ' s:t ' }, {}],
    [{ toolKey: 's:t', arguments: null }, {}],
    [{ toolKey: 's:t', arguments: '' }, {}],
    [{ toolKey: 's:t', arguments: '{"a":[1]}' }, { a: [1] }],
  ])('reads %j', (input, args) => {
    expect(readExecute(input)).toEqual({ value: { toolKey: 's:t', arguments: args } })
  })

  it.each([undefined, null, 'text', [], {}, { toolKey: '' }, { toolKey: 7 }])('needs a toolKey in %j', (input) => {
    expect(readExecute(input)).toEqual({ mistake: 'toolKey is required' })
  })

  it.each([[[1]], [7], ['nonsense'], ['[1]'], [true]])('rejects arguments like %j', (args) => {
    expect(readExecute({ toolKey: 's:t', arguments: args })).toEqual({ mistake: 'arguments must be an object' })
  })
})

describe('wrapResult', () => {
  const content = [{ type: 'text', text: 'hello' }]

  it('[R35] passes on content, isError and _meta, and puts structured content, else content, under result', () => {
    const plain = { content, isError: true, _meta: { a: 1 }, extra: 2 }
    expect(wrapResult(plain)).toEqual({ ...plain, structuredContent: { result: content } })
    const structured = { content, structuredContent: { b: 1 } }
    expect(wrapResult(structured)).toEqual({ content, structuredContent: { result: { b: 1 } } })
    expect(wrapResult({ content, structuredContent: null, resultType: 'complete' })).toEqual({
      content,
      structuredContent: { result: null },
      resultType: 'complete',
    })
    expect(wrapResult({})).toEqual({ structuredContent: { result: null } })
  })

  it('does not change a question to the client', () => {
    const question = { resultType: 'input_required', inputRequests: {}, requestState: 'x' }
    expect(wrapResult(question)).toBe(question)
  })
})
