import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editText, type Step, valueAt } from './edit-text.ts'
import { type FileFormat, parseFile } from './parse-file.ts'
import { jsonDocument, tomlDocument, yamlDocument } from './random-documents.case.ts'

const ENTRY = { url: 'http://127.0.0.1:7420/mcp', headers: { Authorization: 'Bearer tdx_x' }, tools: ['*'] }

const FORMATS: readonly (readonly [FileFormat, string, fc.Arbitrary<string>])[] = [
  ['jsonc', 'mcpServers', jsonDocument],
  ['toml', 'mcp_servers', tomlDocument],
  ['yaml', 'extensions', yamlDocument],
]

describe('editText', () => {
  it.each(FORMATS)('[U3] adds an entry to any %s file and touches nothing else', (format, key, documents) => {
    fc.assert(
      fc.property(documents, (text) => {
        const path: Step[] = [key, 'tooldex']
        const changed = editText(text, format, [{ path, value: ENTRY }], 'file')
        expect(isWithin(text, changed)).toBe(true)
        expect(changed.includes('\r\n') && /[^\r]\n/.test(changed)).toBe(text.includes('\r\n') && /[^\r]\n/.test(text))
        const back = editText(changed, format, [{ path, value: undefined }], 'file')
        expect(withoutEmpty(parseFile(back, format, 'file'), key)).toEqual(
          withoutEmpty(parseFile(text, format, 'file'), key),
        )
      }),
      { numRuns: 400 },
    )
  })

  it.each(FORMATS)('[U3] switches a server of any %s file off and on again', (format, key, documents) => {
    fc.assert(
      fc.property(documents, (text) => {
        const before = parseFile(text, format, 'file')
        const name = Object.keys((valueAt(before, [key]) as object | undefined) ?? {})[0]
        fc.pre(name !== undefined)
        const path: Step[] = [key, name ?? '', 'enabled']
        const off = editText(text, format, [{ path, value: false }], 'file')
        expect(isWithin(text, off)).toBe(true)
        const on = editText(off, format, [{ path, value: undefined }], 'file')
        expect(parseFile(on, format, 'file')).toEqual(before)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    ['{}', '{\n  "mcpServers": {\n    "tooldex": 1\n  }\n}'],
    ['', '{\n  "mcpServers": {\n    "tooldex": 1\n  }\n}\n'],
    ['{ "mcpServers": { "a": {} } }', '{ "mcpServers": { "a": {}, "tooldex": 1 } }'],
    [
      '{\n\t"mcpServers": {\n\t\t"a": {}, // last\n\t},\n}\n',
      '{\n\t"mcpServers": {\n\t\t"a": {}, // last\n\t\t"tooldex": 1,\n\t},\n}\n',
    ],
    [
      '{\n  "mcpServers": {\n    "a": {} // last\n  }\n}',
      '{\n  "mcpServers": {\n    "a": {}, // last\n    "tooldex": 1\n  }\n}',
    ],
  ])('writes JSON as the file does: %j', (text, expected) => {
    expect(editText(text, 'jsonc', [{ path: ['mcpServers', 'tooldex'], value: 1 }], 'f')).toBe(expected)
  })

  it('adds to a list by name, and replaces the item of that name', () => {
    const text = 'mcpServers: # mine\n  - name: Notes\n    command: npx\n    args: ["-y"]\nmodels: []\n'
    const path: Step[] = ['mcpServers', { named: 'tooldex' }]
    const added = editText(text, 'yaml', [{ path, value: { name: 'tooldex', url: 'http://x/' } }], 'f')
    expect(added).toBe(text.replace('models', '  - name: tooldex\n    url: "http://x/"\nmodels'))
    const replaced = editText(added, 'yaml', [{ path, value: { name: 'tooldex', url: 'http://y/' } }], 'f')
    expect(replaced).toBe(added.replace('http://x/', 'http://y/'))
    expect(editText(replaced, 'yaml', [{ path, value: undefined }], 'f')).toBe(text)
  })

  it('writes TOML tables at the end, and into inline tables', () => {
    const table = { url: 'u', http_headers: { A: 'b' } }
    const path = ['mcp_servers', 'tooldex']
    expect(editText('a = 1 # one', 'toml', [{ path, value: table }], 'f')).toBe(
      'a = 1 # one\n\n[mcp_servers.tooldex]\nurl = "u"\nhttp_headers = { A = "b" }\n',
    )
    expect(editText('mcp_servers = { x = { command = "c" } } # in\n', 'toml', [{ path, value: table }], 'f')).toBe(
      'mcp_servers = { x = { command = "c" }, tooldex = { url = "u", http_headers = { A = "b" } } } # in\n',
    )
  })

  it.each([
    ['jsonc', '{ broken', 'line 1'],
    ['json', '{ // no\n}', 'comments'],
    ['jsonc', '{ "a": 1, "a": 2 }', 'given twice'],
    ['jsonc', '[]', 'not an object'],
    ['toml', 'a = ', 'line 1'],
    ['toml', '[a]\n[a]\n', 'TOML'],
    ['yaml', 'a: [', 'line'],
    ['yaml', '- a\n', 'not an object'],
  ] as const)('refuses a %s file that it cannot read: %j', (format, text, reason) => {
    const edit = { path: ['mcpServers', 'tooldex'], value: 1 }
    expect(() => editText(text, format, [edit], 'f')).toThrow(reason)
  })
})

/** The object that held the entry may be gone, or be empty. */
function withoutEmpty(value: unknown, key: string): object {
  return Object.fromEntries(
    Object.entries(value as object).filter(([name, each]) => name !== key || Object.keys(each as object).length > 0),
  )
}

/** Whether a text is made by adding to another: all its characters are there, in order. */
function isWithin(text: string, longer: string): boolean {
  let at = 0
  for (const sign of longer) if (sign === text[at]) at++
  return at === text.length
}
