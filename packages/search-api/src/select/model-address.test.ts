import { describe, expect, it } from 'vitest'
import { modelAddress } from './model-address.ts'

describe('modelAddress', () => {
  it.each([
    ['http://127.0.0.1:11434', 'openai', 'http://127.0.0.1:11434/v1/chat/completions'],
    ['http://127.0.0.1:11434/v1/', 'openai', 'http://127.0.0.1:11434/v1/chat/completions'],
    ['https://api.openai.com/v1/chat/completions', 'openai', 'https://api.openai.com/v1/chat/completions'],
    ['https://api.anthropic.com', 'anthropic', 'https://api.anthropic.com/v1/messages'],
    ['https://proxy.test/v1/messages', 'anthropic', 'https://proxy.test/v1/messages'],
  ])('completes %s', (url, api, expected) => {
    const found = modelAddress({ url })
    expect([found.api, found.address.href]).toEqual([api, expected])
  })

  it('takes the API that it is told', () => {
    expect(modelAddress({ url: 'https://proxy.test/v1', api: 'anthropic' }).address.pathname).toBe('/v1/messages')
  })

  it.each([['nonsense'], ['ftp://a.test'], ['https://user:secret@a.test']])(
    'refuses %s without repeating it',
    (url) => {
      expect(() => modelAddress({ url })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }))
      expect(() => modelAddress({ url })).not.toThrow(/secret/)
    },
  )
})
