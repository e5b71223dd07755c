import { expect, it } from 'vitest'
import { CLIENT_SPECS } from '../client-specs.ts'
import { clientSnippets } from './client-snippets.ts'
import { parseFile } from '../parse-file.ts'

const TARGET = { url: 'http://127.0.0.1:7420/mcp', token: '<token>', program: ['tooldex', 'stdio'] }

it('has the entry for every client that setup knows, in the format of its file', () => {
  const snippets = clientSnippets(TARGET)
  const titles = CLIENT_SPECS.filter(({ id }) => id !== 'other').map(({ title }) => title)
  expect(snippets.map(({ client }) => client)).toEqual(expect.arrayContaining([...titles, 'VS Code Insiders']))
  expect(new Set(snippets.map(({ client }) => client)).size).toBe(snippets.length)
  for (const { client, file = '', text } of snippets) {
    const format = file.endsWith('.toml') ? 'toml' : file.endsWith('.yaml') ? 'yaml' : 'jsonc'
    expect(JSON.stringify(parseFile(text, format, file)), client).toContain('tooldex')
    expect(text, client).toContain('<token>')
    expect(text, client).toContain(client === 'Claude Desktop' ? 'stdio' : TARGET.url)
    expect(file, client).toMatch(/^~\/|^\.ai\//)
  }
})
