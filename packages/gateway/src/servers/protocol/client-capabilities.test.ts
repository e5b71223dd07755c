import { describe, expect, it } from 'vitest'
import { shareableOf } from './client-capabilities.ts'

const UI = 'io.modelcontextprotocol/ui'

describe('shareableOf', () => {
  it.each([
    [{}, {}],
    [{ roots: {}, experimental: {} }, {}],
    [{ elicitation: {} }, { elicitation: { form: {} } }],
    [{ elicitation: { form: {}, url: {} } }, { elicitation: { form: {} } }],
    [{ elicitation: { url: {} } }, {}],
    [{ sampling: {} }, { sampling: {} }],
    [{ sampling: { tools: {}, context: {} } }, { sampling: { tools: {} } }],
    [{ extensions: { 'x.y/z': {} } }, {}],
    [
      { extensions: { [UI]: { mimeTypes: ['x'] } } },
      { extensions: { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] } } },
    ],
  ])('of %o is %o', (declared, shareable) => {
    expect(shareableOf(declared)).toEqual(shareable)
  })
})
