import { describe, expect, it } from 'vitest'
import { connectCommands, connectLines } from './connect-snippets.ts'

const TARGET = { url: 'http://127.0.0.1:7420/desk/mcp', token: 'tdx_x', endpointId: 'desk' }

describe('connectCommands', () => {
  it('starts the program for the endpoint, and for the default one without naming it', () => {
    expect(connectCommands(TARGET).at(-1)?.text).toBe('TOOLDEX_TOKEN=tdx_x tooldex stdio --endpoint desk')
    const { url, token } = TARGET
    expect(connectCommands({ url, token }).at(-1)?.text).toBe('TOOLDEX_TOKEN=tdx_x tooldex stdio')
  })
})

describe('connectLines', () => {
  it('has one line per client', () => {
    for (const { text } of connectLines(TARGET)) expect(text).not.toContain('\n')
    const cursor = connectLines(TARGET).find(({ client }) => client === 'Cursor')?.text ?? ''
    expect(JSON.parse(cursor.replace('~/.cursor/mcp.json', ''))).toEqual({
      mcpServers: { tooldex: { url: TARGET.url, headers: { Authorization: 'Bearer tdx_x' } } },
    })
  })
})
