import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anthropicApi } from './anthropic-api.ts'
import { openAiApi } from './openai-api.ts'
import { readChoices } from './read-choices.ts'
import { type Candidate, SelectFailure } from './selection.ts'

const candidates: Candidate[] = ['a', 'b', 'c'].map((name) => ({
  toolKey: `s:${name}`,
  toolName: name,
  serverName: 's',
  relevance: 0.5,
}))

/** The result of `read`; undefined where it throws a SelectFailure. */
function orFailure<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    expect(error).toBeInstanceOf(SelectFailure)
    return undefined
  }
}

const choice = fc.record(
  { number: fc.oneof(fc.integer({ min: -1, max: 5 }), fc.jsonValue()), relevance: fc.jsonValue(), why: fc.jsonValue() },
  { requiredKeys: [] },
)
const answer = fc.oneof(
  fc.jsonValue(),
  fc.record({ choices: fc.oneof(fc.array(fc.oneof(choice, fc.jsonValue())), fc.jsonValue()) }),
)

describe('readChoices', () => {
  it('reads valid choices from any answer, or throws a SelectFailure', () => {
    fc.assert(
      fc.property(answer, (value) => {
        const choices = orFailure(() => readChoices(value, candidates))
        if (choices === undefined) return
        expect(choices.length).toBeGreaterThan(0)
        expect(new Set(choices.map(({ candidate }) => candidate)).size).toBe(choices.length)
        for (const { candidate, relevance, why = '' } of choices) {
          expect(candidates).toContain(candidate)
          expect(relevance >= 0 && relevance <= 1).toBe(true)
          expect(why.length).toBeLessThanOrEqual(300)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('puts the best first and keeps the model’s order among equals', () => {
    const choices = [
      { number: 3, relevance: 0.2 },
      { number: 2, relevance: 0.9 },
      { number: 1, relevance: 0.9 },
    ]
    expect(readChoices({ choices }, candidates).map(({ candidate }) => candidate.toolName)).toEqual(['b', 'a', 'c'])
  })
})

describe.each([
  ['openAiApi', openAiApi],
  ['anthropicApi', anthropicApi],
])('%s', (_, api) => {
  it('reads any JSON, or throws a SelectFailure', () => {
    const block = fc.record({ type: fc.constantFrom('text', 'tool_use'), text: fc.jsonValue(), input: fc.jsonValue() })
    const message = fc.record({ content: fc.oneof(fc.string(), fc.jsonValue()), tool_calls: fc.jsonValue() })
    const reply = fc.oneof(
      fc.jsonValue(),
      fc.record({ choices: fc.array(fc.record({ message, finish_reason: fc.jsonValue() })) }),
      fc.record({ content: fc.array(block), stop_reason: fc.jsonValue() }),
    )
    fc.assert(
      fc.property(reply, (value) => {
        orFailure(() => api.read(value))
      }),
      { numRuns: 500 },
    )
  })
})
