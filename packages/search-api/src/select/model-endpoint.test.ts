import { describe, expect, it } from 'vitest'
import { anthropicApi } from './anthropic-api.ts'
import { modelEndpoint } from './model-selector.ts'
import { openAiApi } from './openai-api.ts'

describe('modelEndpoint', () => {
  it.each([
    ['http://127.0.0.1:11434', openAiApi, 'http://127.0.0.1:11434/v1/chat/completions'],
    ['http://127.0.0.1:11434/v1/', openAiApi, 'http://127.0.0.1:11434/v1/chat/completions'],
    ['https://api.openai.com/v1/chat/completions', openAiApi, 'https://api.openai.com/v1/chat/completions'],
    ['https://api.anthropic.com', anthropicApi, 'https://api.anthropic.com/v1/messages'],
    ['https://proxy.test/v1/messages', anthropicApi, 'https://proxy.test/v1/messages'],
  ])('completes %s', (url, api, expected) => {
    const found = modelEndpoint({ url })
    expect(found.api).toBe(api)
    expect(found.url.href).toBe(expected)
  })

  it('uses a configured API', () => {
    expect(modelEndpoint({ url: 'https://proxy.test/v1', api: 'anthropic' }).url.pathname).toBe('/v1/messages')
  })

  it.each([['nonsense'], ['ftp://a.test'], ['https://user:secret@a.test']])(
    'refuses %s without repeating it',
    (url) => {
      expect(() => modelEndpoint({ url })).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENTS' }))
      expect(() => modelEndpoint({ url })).not.toThrow(/secret/)
    },
  )
})
