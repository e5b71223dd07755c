import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerTo } from './askable-call.ts'

const FORM = { method: 'elicitation/create' }
const SAMPLE = { method: 'sampling/createMessage' }
const WORDS = { role: 'assistant', model: 'm', content: { type: 'text', text: '!' } }

describe('answerTo', () => {
  it.each([
    [FORM, { action: 'accept', content: { a: [1] }, _meta: { b: 2 } }],
    [FORM, { action: 'decline' }],
    [FORM, { action: 'cancel' }],
    [SAMPLE, WORDS],
    [SAMPLE, { ...WORDS, content: [WORDS.content], stopReason: 'endTurn' }],
  ])('accepts an answer to %o unchanged', (question, answer) => {
    expect(answerTo(question, answer)).toEqual(answer)
    expect(answerTo(question, { ...answer, resultType: 'complete' })).toEqual(answer)
  })

  it.each([
    [FORM, { action: 'perhaps' }],
    [FORM, { action: 'accept', content: 'yes' }],
    [FORM, { content: {} }],
    [FORM, WORDS],
    [SAMPLE, { action: 'accept', content: {} }],
    [SAMPLE, { ...WORDS, content: 'words' }],
    [SAMPLE, { ...WORDS, content: null }],
  ])('accepts nothing else as an answer to %o', (question, answer) => {
    expect(answerTo(question, answer)).toBeUndefined()
  })

  it('survives anything', () => {
    fc.assert(
      fc.property(fc.anything(), (given) => {
        for (const question of [FORM, SAMPLE]) expect(() => answerTo(question, given)).not.toThrow()
      }),
    )
  })
})
