import { problemSchema, searchApiAnswerSchema } from '@tooldex/contract/search-api'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { apiWith, post } from './ask.case.ts'

const api = apiWith()
afterAll(() => api.close())

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', 'a', 'file', '\ud800'))
const words = fc.constantFrom('read file', 'send mail', 'AND (', '"', 'name:read', 'x*', '日本語', '')
const toolArbitrary = fc.record(
  { toolKey: text, toolName: text, serverName: text, description: fc.oneof(text, words) },
  { requiredKeys: ['toolKey', 'toolName', 'serverName'] },
)
const nearlyRight = fc.record(
  {
    query: fc.oneof(fc.array(fc.oneof(words, text), { maxLength: 4 }), words, fc.jsonValue()),
    tools: fc.oneof(
      fc.array(toolArbitrary, { maxLength: 12 }),
      fc.uniqueArray(toolArbitrary, { selector: ({ toolKey }) => toolKey, minLength: 1, maxLength: 12 }),
      fc.jsonValue(),
    ),
    maxResults: fc.oneof(fc.double(), fc.integer(), fc.jsonValue()),
    context: fc.oneof(text, fc.jsonValue()),
    projectId: fc.constantFrom('work', 'home', '', null),
    more: fc.jsonValue(),
  },
  { requiredKeys: ['query', 'tools'] },
)

describe('any input', () => {
  it('is answered with a valid answer or a problem', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(nearlyRight, fc.jsonValue()), async (sent) => {
        const { status, body } = await post(api, JSON.stringify(sent))
        if (status === 200) checkAnswer(sent, body)
        else expect(problemSchema.parse(body).errors?.[0]?.field).toMatch(/./)
        expect([200, 400, 403]).toContain(status)
      }),
      { numRuns: 300 },
    )
  })

  it('is answered with tools that were sent, each once', async () => {
    const right = fc.record({
      query: fc.array(words, { minLength: 1, maxLength: 3 }),
      tools: fc.uniqueArray(
        fc.record({
          toolKey: fc.string({ minLength: 1 }),
          toolName: fc.constantFrom('read_file', 'sendMail', '削除', '-'),
          serverName: fc.constantFrom('files', 'mail:x', ''),
          description: words,
        }),
        { selector: ({ toolKey }) => toolKey, minLength: 1, maxLength: 30 },
      ),
      maxResults: fc.integer({ min: -3, max: 120 }),
    })
    await fc.assert(
      fc.asyncProperty(right, async (sent) => {
        const { status, body } = await post(api, sent)
        expect(status).toBe(200)
        checkAnswer(sent, body)
      }),
      { numRuns: 200 },
    )
  })
})

function checkAnswer(sent: unknown, body: unknown): void {
  const { results } = searchApiAnswerSchema.parse(body)
  const { tools, maxResults = 10 } = sent as { tools: { toolKey: string }[]; maxResults?: number }
  const byKey = new Map(tools.map((one) => [one.toolKey, one]))
  expect(results.length).toBeLessThanOrEqual(Math.min(100, Math.max(1, Math.floor(maxResults))))
  expect(new Set(results.map(({ toolKey }) => toolKey)).size).toBe(results.length)
  for (const { relevance, explanation: _, ...tool } of results) {
    expect(byKey.get(tool.toolKey)).toMatchObject(tool)
    expect(relevance >= 0 && relevance <= 1).toBe(true)
  }
}
