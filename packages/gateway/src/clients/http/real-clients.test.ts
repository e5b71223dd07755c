import {
  Client as ModernClient,
  type ClientOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport as FirstSse } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it } from 'vitest'
import { openListener } from './listener.case.ts'

const INFO = { name: 'test-client', version: '1.2.3' }
const AUTH = { requestInit: { headers: { Authorization: 'Bearer secret-a' } } }

interface TestClient {
  readonly connect: (url: string, onChange?: () => void) => Promise<Connected>
  readonly era: 'legacy' | 'modern'
  readonly path: string
}

interface Connected {
  callTool(
    params: { name: string; arguments?: Record<string, unknown> },
    options?: object,
  ): Promise<{ content: unknown }>
  listTools(): Promise<{ tools: { name: string }[] }>
  close(): Promise<void>
}

const answerForm = async () => ({ action: 'accept' as const, content: { name: 'Ada' } })

async function connectSecond(
  transport: StreamableHTTPClientTransport | SSEClientTransport,
  options: ClientOptions,
  onChange?: () => void,
) {
  const client = new ModernClient(INFO, { capabilities: { elicitation: { form: {} } }, ...options })
  client.setRequestHandler('elicitation/create', answerForm)
  if (onChange !== undefined) client.setNotificationHandler('notifications/tools/list_changed', onChange)
  await client.connect(transport)
  return client
}

async function connectFirst(transport: FirstHttp | FirstSse, onChange?: () => void): Promise<Connected> {
  const client = new FirstClient(INFO, { capabilities: { elicitation: {} } })
  client.setRequestHandler(ElicitRequestSchema, answerForm)
  if (onChange !== undefined) client.setNotificationHandler(ToolListChangedNotificationSchema, onChange)
  await client.connect(transport as Parameters<FirstClient['connect']>[0])
  return {
    callTool: async (params, options) => (await client.callTool(params, undefined, options)) as { content: unknown },
    listTools: () => client.listTools(),
    close: () => client.close(),
  }
}

const CLIENTS: Record<string, TestClient> = {
  'SDK v2, 2026-07-28': {
    era: 'modern',
    path: '/mcp',
    connect: async (url, onChange) => {
      const client = await connectSecond(
        new StreamableHTTPClientTransport(new URL(url), AUTH),
        { versionNegotiation: { mode: 'auto' } },
        onChange,
      )
      expect(client.getProtocolEra()).toBe('modern')
      if (onChange !== undefined) await client.listen({ toolsListChanged: true })
      return client
    },
  },
  'SDK v2, with a session': {
    era: 'legacy',
    path: '/mcp',
    connect: (url, onChange) => connectSecond(new StreamableHTTPClientTransport(new URL(url), AUTH), {}, onChange),
  },
  'SDK v1, with a session': {
    era: 'legacy',
    path: '/team/mcp',
    connect: (url, onChange) => connectFirst(new FirstHttp(new URL(url), AUTH), onChange),
  },
  'SDK v1 over HTTP+SSE': {
    era: 'legacy',
    path: '/sse',
    connect: (url, onChange) => connectFirst(new FirstSse(new URL(url), AUTH), onChange),
  },
  'SDK v2 over HTTP+SSE': {
    era: 'legacy',
    path: '/team/sse',
    connect: (url, onChange) => connectSecond(new SSEClientTransport(new URL(url), AUTH), {}, onChange),
  },
}

describe.each(Object.entries(CLIENTS))('%s', (_, { connect, era, path }) => {
  it('lists, calls, and gets progress before the result', async () => {
    await using gateway = await openListener()
    const client = await connect(gateway.url + path)
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['echo', 'numbers'])
    const told = await client.callTool({ name: 'echo', arguments: { text: 'hi' } })
    expect(told.content).toMatchObject([{ type: 'text', text: 'hi' }])
    const progress: number[] = []
    const onprogress = (step: { progress: number }) => {
      progress.push(step.progress)
      if (progress.length === 2) gateway.handler.finishProgress()
    }
    await client.callTool({ name: 'progress' }, { onprogress })
    expect(progress).toEqual([1, 2])
    await client.close()
  })

  it('is identified by its token, its endpoint, and its own description', async () => {
    await using gateway = await openListener()
    const client = await connect(gateway.url + path)
    await client.callTool({ name: 'echo' })
    const caller = gateway.handler.asked.at(-1)?.caller
    expect(caller).toMatchObject({
      era,
      principal: { tokenId: 'a' },
      endpoint: { id: path.startsWith('/team') ? 'team' : 'default' },
      clientInfo: INFO,
      protocolVersion: era === 'modern' ? '2026-07-28' : '2025-11-25',
    })
    expect(caller?.clientCapabilities).toHaveProperty('elicitation')
    expect(caller?.sessionId === undefined).toBe(era === 'modern')
    await client.close()
  })

  it('answers an elicitation of either era', async () => {
    await using gateway = await openListener()
    const client = await connect(gateway.url + path)
    if (era === 'legacy') {
      const asked = await client.callTool({ name: 'ask' })
      expect(JSON.stringify(asked.content)).toContain('Ada')
    }
    const retried = await client.callTool({ name: 'input' })
    expect(JSON.stringify(retried.content)).toContain('Ada')
    expect(JSON.stringify(retried.content)).toContain('s1')
    await client.close()
  })

  it('gets errors with their original code and data', async () => {
    await using gateway = await openListener()
    const client = await connect(gateway.url + path)
    await expect(client.callTool({ name: 'server-error' })).rejects.toMatchObject({
      code: -32055,
      data: { their: 'data' },
    })
    await expect(client.callTool({ name: 'gateway-error' })).rejects.toMatchObject({
      code: -31004,
      data: { code: 'SERVER_CRASHED', server: 'files' },
    })
    await expect(client.callTool({ name: 'surprise' })).rejects.toMatchObject({ code: -32603 })
    expect(gateway.log.lines.join()).toContain('TypeError')
    expect(gateway.log.lines.join()).not.toContain('hunter2')
    await client.close()
  })

  it('cancels a call', async () => {
    await using gateway = await openListener()
    const client = await connect(gateway.url + path)
    const controller = new AbortController()
    const isWaiting = gateway.handler.waiting('k')
    const isAborted = gateway.handler.waiting('k aborted')
    const call = client.callTool({ name: 'wait', arguments: { text: 'k' } }, { signal: controller.signal })
    await isWaiting
    controller.abort()
    await expect(call).rejects.toBeInstanceOf(Error)
    await isAborted
    await client.callTool({ name: 'echo' })
    await client.close()
  })

  it('is notified when a list of its endpoint changes', async () => {
    await using gateway = await openListener()
    let heard: () => void = () => undefined
    const isHeard = new Promise<void>((resolve) => (heard = resolve))
    const client = await connect(gateway.url + path, heard)
    await client.callTool({ name: 'echo' })
    const endpoint = path.startsWith('/team') ? 'team' : 'default'
    const again = setInterval(() => gateway.listChanged('tools', endpoint), 20)
    await expect(isHeard).resolves.toMatchObject({ method: 'notifications/tools/list_changed' })
    clearInterval(again)
    await client.close()
  })
})
