import { expect, it } from 'vitest'
import { lineNamedBy, lineOf } from './pasted-lines.ts'

const TEXT = `{
  "mcpServers": {
    "first": { "command": "say \\"env\\": {", "args": ["first"] },
    "second": {
      "command": 5,
      "env": {
        "KEY": 7
      }
    },
    "third": {}
  }
}`

it('finds the line of a server and of a part of it', () => {
  expect(lineOf(TEXT, 'first', '')).toBe(3)
  expect(lineOf(TEXT, 'second', '')).toBe(4)
  expect(lineOf(TEXT, 'second', 'command')).toBe(5)
  expect(lineOf(TEXT, 'second', 'env.KEY')).toBe(7)
  expect(lineOf(TEXT, 'first', 'args[0]')).toBe(3)
})

it('stays inside of the server, at the nearest existing part', () => {
  expect(lineOf(TEXT, 'third', 'command')).toBe(10)
  expect(lineOf(TEXT, 'first', 'env')).toBe(3)
  expect(lineOf(TEXT, 'fourth', '')).toBeUndefined()
})

it("reads the line from the gateway's message", () => {
  expect(lineNamedBy('line 12, column 3: not valid JSON: comma expected')).toBe(12)
  expect(lineNamedBy('has no servers')).toBeUndefined()
  expect(lineNamedBy(undefined)).toBeUndefined()
})
