import { describe, expect, it } from 'vitest'
import { errorLine, exitReason } from './errors.ts'

describe('why a program ended', () => {
  const node = [
    'starting',
    '/srv/db.js:17',
    '    throw new Error("x")',
    '    ^',
    'Error: connect ECONNREFUSED 127.0.0.1:5432',
    '    at connect (db.js:17:3)',
    '    at node:internal/main/run_main_module:36:49 {',
    '  errno: -111,',
    "  code: 'ECONNREFUSED',",
    '}',
    'Node.js v24.21.0',
  ]

  it.each([
    [node, 'Error: connect ECONNREFUSED 127.0.0.1:5432'],
    [['TypeError [ERR_X]: no', '    at a (b.js:1:1)', 'Node.js v24.21.0'], 'TypeError [ERR_X]: no'],
    [
      ['Traceback (most recent call last):', '  File "a.py", line 1, in <module>', 'ValueError: no key'],
      'ValueError: no key',
    ],
    [['panic: no route', '', 'goroutine 1 [running]:'], 'panic: no route'],
    [['error: unknown option --x'], 'error: unknown option --x'],
    [['no configuration found'], 'no configuration found'],
    [['one', 'two'], 'two'],
    [['    at a (b.js:1:1)'], '    at a (b.js:1:1)'],
    [[], undefined],
  ])('is told by its error line: %j', (lines, told) => {
    expect(errorLine(lines)).toBe(told)
  })

  it('comes after how it ended', () => {
    expect(exitReason({ code: 1, signal: null, lastLines: node })).toBe(
      'exited with code 1: Error: connect ECONNREFUSED 127.0.0.1:5432',
    )
  })
})
