// Connects clients with the snippets of the console and the guide, word by word.
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createToken } from '../../packages/gateway/src/access/tokens.ts'
import { connectCommands } from '../../packages/gateway/src/exposure/connect-snippets.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { Machine } from '../kit/program.ts'
import { builtProgram } from '../kit/shared.ts'

const MAIN = await builtProgram()
const { secret, hash } = createToken()

function machine(): Machine {
  const made = new Machine()
  const config = {
    mcpServers: { notes: fixtureServer({ tools: [textTool('read_note', 'Read a note.', ['id'])] }) },
    endpoints: { desk: { exposure: 'full' }, searched: { exposure: 'search-only' } },
    tokens: [{ name: 'laptop', sha256: hash }],
  }
  writeFileSync(join(made.folder, 'tooldex.json'), JSON.stringify(config))
  return made
}

describe('connecting with the snippets', { timeout: 60_000 }, () => {
  it('[M12] lists tools over HTTP without an SDK', async () => {
    await using made = machine()
    const { url } = await made.serve()
    const [command] = connectCommands({ url: `${url}/desk/mcp`, token: secret }).filter(
      ({ client }) => client === 'Plain HTTP',
    )
    const ended = await made.run(`${command?.text.replace('curl', 'curl -s')}`)
    const { result } = ended.json() as unknown as { result: { tools: { name: string }[] } }
    expect(result.tools.map(({ name }) => name)).toEqual(['notes__read_note'])
  })

  it.each([
    ['desk', ['notes__read_note']],
    ['searched', ['tool_discovery']],
  ])('serves the endpoint %s to who starts the program', async (endpoint, names) => {
    await using made = machine()
    const client = new Client({ name: 'test', version: '1' })
    const config = join(made.folder, 'tooldex.json')
    const args = ['--conditions=tooldex-source', MAIN, 'stdio', '--endpoint', endpoint, '--config', config]
    const env = { PATH: process.env['PATH'] ?? '', HOME: made.folder, TOOLDEX_TOKEN: secret }
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env }))
    await expect
      .poll(async () => (await client.listTools()).tools.map(({ name }) => name), { timeout: 20_000 })
      .toEqual(names)
    await client.close()
  })

  it('lists the endpoints', async () => {
    await using made = machine()
    const { code, err } = await made.run('tooldex stdio --endpoint wrok')
    expect(code).not.toBe(0)
    expect(err).toContain('Existing endpoints: default, desk, searched')
  })
})
