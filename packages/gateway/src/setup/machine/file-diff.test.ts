import { expect, it } from 'vitest'
import { fileDiff } from './file-diff.ts'

it('shows the lines that differ, with tokens masked', () => {
  const before = '{\n  "mcpServers": {\n    "a": {}\n  }\n}\n'
  const after =
    '{\n  "mcpServers": {\n    "a": {},\n    "tooldex": { "headers": { "Authorization": "Bearer tdx_abcdef12" } }\n  }\n}\n'
  expect(fileDiff(before, after)).toEqual([
    { sign: '-', line: '    "a": {}' },
    { sign: '+', line: '    "a": {},' },
    { sign: '+', line: '    "tooldex": { "headers": { "Authorization": "Bearer …" } }' },
  ])
})

it('leaves out other entries on the changed line, which may have secrets', () => {
  const other = '{"mcpServers":{"a":{"env":{"PIN":"4711-hunter2"}}'
  const shown = fileDiff(`${other}}}`, `${other},"tooldex":{"url":"http://127.0.0.1:7420/mcp"}}}`)
  expect(JSON.stringify(shown)).not.toContain('hunter2')
  expect(shown.at(-1)?.line).toContain('"tooldex":{"url":"http://127.0.0.1:7420/mcp"}')
})
