// A gateway that is asked to stop lets requests under way finish, and takes no new clients.

import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { MinimalClient } from '../../bench/minimal-client.ts'
import { until } from '../kit/gateway.ts'
import { keptConnection } from '../kit/kept-connection.ts'
import { startServe } from '../kit/serve.ts'
import { builtProgram } from '../kit/shared.ts'

const MAIN = await builtProgram()
const TIME_LIMIT_MS = 60_000
const PATIENT_MS = 20_000

/** A server whose calls are answered when the test says so. */
async function slowServer() {
  const answered = Promise.withResolvers<void>()
  let calls = 0
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'slow', version: '1' }, { capabilities: { tools: {} } })
    server.fallbackRequestHandler = async ({ method }) => {
      if (method === 'tools/list') return { tools: [{ name: 'wait', inputSchema: { type: 'object' } }] }
      calls++
      await answered.promise
      return { content: [{ type: 'text', text: 'done' }] }
    }
    return server
  })
  const http = createServer(toNodeHandler(handler) as unknown as RequestListener)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    calls: () => calls,
    answer: () => answered.resolve(),
    [Symbol.asyncDispose]: async () => {
      answered.resolve()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

/** A gateway in front of it, with a call under way and a signal to stop. */
async function stopping(slow: Awaited<ReturnType<typeof slowServer>>, settings: object) {
  const folder = mkdtempSync(join(tmpdir(), 'tooldex-drain-'))
  const configFile = join(folder, 'tooldex.json')
  const endpoints = { open: { exposure: 'full', auth: 'none' } }
  writeFileSync(configFile, JSON.stringify({ mcpServers: { slow: { url: slow.url } }, endpoints, ...settings }))
  const nodeOptions = ['--conditions=tooldex-source']
  const { child, url } = await startServe({ main: MAIN, configFile, dataDir: join(folder, 'data'), nodeOptions })
  const exited = once(child, 'exit')
  const kept = keptConnection(url)
  await kept('/healthz')
  const client = await new MinimalClient(`${url}/open/mcp`).connect()
  // The gateway listens before it knows the server's tools.
  await until(async () => JSON.stringify(await client.request('tools/list')).includes('slow__wait'), PATIENT_MS)
  const call = client.call('slow__wait').then(
    (result) => JSON.stringify(result['content']),
    (error: unknown) => String(error),
  )
  await until(() => slow.calls() === 1, PATIENT_MS)
  child.kill('SIGTERM')
  const ready = async (): Promise<number> => (await fetch(`${url}/readyz`)).status
  return { child, url, call, exited, ready, kept, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

describe('a gateway that is asked to stop', { timeout: TIME_LIMIT_MS }, () => {
  it('is not ready, begins no session, and answers the call under way before it ends', async () => {
    await using slow = await slowServer()
    const { url, call, exited, ready, remove } = await stopping(slow, {})
    await until(async () => (await ready()) === 503, PATIENT_MS)
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'late', version: '1' } }
    const late = await fetch(`${url}/open/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    })
    expect([late.status, late.headers.get('retry-after'), late.headers.get('connection')]).toEqual([503, '1', 'close'])
    expect(await late.text()).toContain('The gateway is stopping')
    slow.answer()
    expect(await call).toBe('[{"type":"text","text":"done"}]')
    expect(await exited).toEqual([0, null])
    remove()
  })

  it('answers on a connection that was idle, and closes it with the answer', async () => {
    await using slow = await slowServer()
    const { exited, ready, kept, remove } = await stopping(slow, {})
    await until(async () => (await ready()) === 503, PATIENT_MS)
    expect(await kept('/readyz')).toEqual({ status: 503, connection: 'close', isReused: true })
    slow.answer()
    expect(await exited).toEqual([0, null])
    remove()
  })

  it('waits no longer after a second signal', async () => {
    await using slow = await slowServer()
    const { child, call, exited, ready, remove } = await stopping(slow, { drainMs: 600_000 })
    await until(async () => (await ready()) === 503, PATIENT_MS)
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(await call).not.toContain('done')
    remove()
  })

  it('waits no longer than its limit', async () => {
    await using slow = await slowServer()
    const { call, exited, remove } = await stopping(slow, { drainMs: 0 })
    expect(await exited).toEqual([0, null])
    expect(await call).not.toContain('done')
    remove()
  })
})
