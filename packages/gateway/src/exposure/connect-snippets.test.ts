import { describe, expect, it } from 'vitest'
import { connectLines, connectSnippets } from './connect-snippets.ts'

const TARGET = { url: 'http://127.0.0.1:7420/desk/mcp', token: 'tdx_x', endpointId: 'desk' }
const textFor = (client: string): string =>
  connectSnippets(TARGET).find((snippet) => snippet.client === client)?.text ?? ''

describe('connectSnippets', () => {
  it('has valid JSON for files', () => {
    for (const { file, text } of connectSnippets(TARGET)) if (file !== undefined) JSON.parse(text)
    expect(JSON.parse(textFor('Cursor'))).toEqual({
      mcpServers: { tooldex: { url: TARGET.url, headers: { Authorization: 'Bearer tdx_x' } } },
    })
  })

  it('starts the program for the endpoint, and for the default one without naming it', () => {
    const { mcpServers } = JSON.parse(textFor('Claude Desktop')) as { mcpServers: { tooldex: object } }
    expect(mcpServers.tooldex).toEqual({
      command: 'tooldex',
      args: ['stdio', '--endpoint', 'desk'],
      env: { TOOLDEX_TOKEN: 'tdx_x' },
    })
    expect(textFor('stdio')).toBe('TOOLDEX_TOKEN=tdx_x tooldex stdio --endpoint desk')
    const { url, token } = TARGET
    expect(connectSnippets({ url, token }).at(-1)?.text).toBe('TOOLDEX_TOKEN=tdx_x tooldex stdio')
  })
})

describe('connectLines', () => {
  it('has one line per client', () => {
    for (const { text } of connectLines(TARGET)) expect(text).not.toContain('\n')
  })
})
