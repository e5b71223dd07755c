import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../fixtures/stdio-gateway.ts', import.meta.url))
const COMMAND = { command: process.execPath, args: ['--conditions=tooldex-source', PROGRAM] }
const INFO = { name: 'test-client', version: '1' }

describe('The gateway over stdio', { timeout: 20_000 }, () => {
  it.each([
    ['2026-07-28', { versionNegotiation: { mode: 'auto' as const } }, 'modern'],
    ['2025-11-25', {}, 'legacy'],
  ])('serves a client of %s', async (_, options, era) => {
    const client = new Client(INFO, { capabilities: { elicitation: {} }, ...options })
    client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } }))
    const isChanged = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/tools/list_changed', () => resolve())
    })
    await client.connect(new StdioClientTransport(COMMAND))
    expect(client.getProtocolEra()).toBe(era)
    expect((await client.listTools()).tools).toHaveLength(2)
    const { content } = await client.callTool({ name: 'whoami' })
    expect(JSON.stringify(content)).toContain('from-environment')
    expect(JSON.stringify((await client.callTool({ name: 'input' })).content)).toContain('Ada')
    await expect(client.callTool({ name: 'server-error' })).rejects.toMatchObject({ code: -32055 })
    if (era === 'modern') await client.listen({ toolsListChanged: true })
    await isChanged
    await client.close()
  })

  it('serves a client of SDK v1', async () => {
    const client = new FirstClient(INFO)
    await client.connect(new FirstStdio(COMMAND))
    expect((await client.listTools()).tools).toHaveLength(2)
    await client.close()
  })

  it('writes only JSON-RPC, survives malformed input, and ends with its input', async () => {
    const child = spawn(COMMAND.command, COMMAND.args, { stdio: ['pipe', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: INFO },
    }
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'surprise' } }
    child.stdin.write(`no JSON\n{"jsonrpc":"2.0"}\n[]\n${JSON.stringify(initialize)}\n\n${JSON.stringify(call)}\n`)
    while (!output.includes('"id":2')) await once(child.stdout, 'data')
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([0, null])
    const messages = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { jsonrpc: string })
    for (const message of messages) expect(message.jsonrpc).toBe('2.0')
  })
})
