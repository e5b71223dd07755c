import { describe, expect, it } from 'vitest'
import { shareableOf } from './client-capabilities.ts'

describe('shareableOf', () => {
  it.each([
    [{}, {}],
    [{ roots: {}, experimental: {} }, {}],
    [{ elicitation: {} }, { elicitation: { form: {} } }],
    [{ elicitation: { form: {}, url: {} } }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {} } }, {}],
    [{ sampling: {} }, { sampling: {} }],
    [{ sampling: { tools: {}, context: {} } }, { sampling: { tools: {} } }],
  ])('of %o is %o', (declared, shareable) => {
    expect(shareableOf(declared)).toEqual(shareable)
  })
})
