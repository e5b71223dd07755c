import { describe, expect, it } from 'vitest'
import { readExecute } from './execute-tool.ts'

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
