import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { resultCount, searchApiAnswerSchema, searchApiRequestSchema } from './schema.ts'

const tools = [{ toolKey: 'a:b', toolName: 'b', serverName: 'a' }]

describe('searchApiRequestSchema', () => {
  it('[R31] accepts the smallest request', () => {
    expect(searchApiRequestSchema.parse({ query: ['x'], tools })).toEqual({ query: ['x'], tools, maxResults: 10 })
  })

  it('drops unknown fields, in the request and in tools', () => {
    const more = { query: ['x'], tools: tools.map((tool) => ({ ...tool, schema: {} })), later: true }
    expect(searchApiRequestSchema.parse(more)).toEqual({ query: ['x'], tools, maxResults: 10 })
  })
})

describe('searchApiAnswerSchema', () => {
  it('[R31] accepts an answer with the agreed fields only', () => {
    const answer = { results: [{ ...tools[0], relevance: 0.5 }] }
    expect(searchApiAnswerSchema.parse(answer)).toEqual(answer)
  })
})

describe('resultCount', () => {
  it('is a whole number from 1 to 100 for any input', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true }), (wanted) => {
        const used = resultCount(wanted)
        expect(Number.isInteger(used) && used >= 1 && used <= 100).toBe(true)
        if (wanted >= 1 && wanted <= 100) expect(used).toBe(Math.floor(wanted))
      }),
    )
  })
})
