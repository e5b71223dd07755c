import type { JsonObject } from '@tooldex/http-kit/json'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { uriAt, beginSession, messagesOf, modernRequest, openListener, POLITE, TOOLS } from '../http/listener.case.ts'

let gateway: Awaited<ReturnType<typeof openListener>>
beforeAll(async () => {
  gateway = await openListener()
})
afterAll(() => gateway.server.close())

type Headers = Readonly<Record<string, string>>
const clientInfo = { name: 'raw', version: '1' }

const send = (headers: Headers, message: JsonObject, signal?: AbortSignal) =>
  fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    ...(signal ? { signal } : {}),
  })
const sendModern = ({ headers, message }: ReturnType<typeof modernRequest>, signal?: AbortSignal) =>
  send(headers, message, signal)
const newSession = (capabilities: JsonObject = {}) => beginSession(`${gateway.url}/mcp`, capabilities)

describe('Streamable HTTP', () => {
  it('keeps every field of results, and adds the fields that 2026-07-28 requires', async () => {
    const response = await sendModern(modernRequest('tools/call', { name: 'echo', arguments: { text: 'x' } }))
    expect(await messagesOf(response)).toEqual([
      {
        jsonrpc: '2.0',
        id: 7,
        result: {
          content: [{ type: 'text', text: 'x', extra: { kept: 1 } }],
          'x-top': 'kept',
          resultType: 'complete',
          _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'tooldex', version: '9.9.9' } },
        },
      },
    ])
  })

  it('lists tools with all their fields, except those that an era cannot read', async () => {
    const [modern] = await messagesOf(await sendModern(modernRequest('tools/list')))
    const { execution: _, ...echo } = TOOLS[0] as JsonObject
    expect(modern?.['result']).toMatchObject({
      tools: [echo, TOOLS[1]],
      ttlMs: 0,
      cacheScope: 'private',
      'x-more': { kept: true },
    })
    expect(JSON.stringify(modern)).not.toContain('execution')
    const [legacy] = await messagesOf(await send(await newSession(), { id: 1, method: 'tools/list' }))
    const { outputSchema: __, ...numbers } = TOOLS[1] as JsonObject
    expect(legacy?.['result']).toEqual({ tools: [TOOLS[0], numbers], 'x-more': { kept: true } })
  })

  it('answers with JSON, and with a stream only if a notification precedes the result', async () => {
    const headers = await newSession()
    const list = await send(headers, { id: 1, method: 'tools/list' })
    expect(list.headers.get('content-type')).toBe('application/json')
    await list.text()
    const change = await send(headers, { id: 1, method: 'tools/call', params: { name: 'change' } })
    expect(change.headers.get('content-type')).toBe('text/event-stream')
    await change.text()
  })

  it('[P7] sends a list change before the result on the same stream', async () => {
    const response = await send(await newSession(), { id: 1, method: 'tools/call', params: { name: 'change' } })
    const messages = await messagesOf(response)
    expect(messages[0]).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
    expect(messages[1]).toMatchObject({ id: 1, result: { content: [{ text: 'changed' }] } })
  })

  it('cancels a 2026-07-28 call when its client disconnects', async () => {
    const isWaiting = gateway.handler.waiting('gone')
    const isAborted = gateway.handler.waiting('gone aborted')
    const leave = new AbortController()
    const request = modernRequest('tools/call', { name: 'wait', arguments: { text: 'gone' } })
    const call = sendModern(request, leave.signal).catch(() => 'left')
    await isWaiting
    leave.abort()
    await isAborted
    expect(await call).toBe('left')
  })

  it('continues a call of a session when its stream breaks, and aborts it when it is cancelled', async () => {
    const headers = await newSession()
    const isWaiting = gateway.handler.waiting('kept')
    const isAborted = gateway.handler.waiting('kept aborted')
    const leave = new AbortController()
    const params = { name: 'wait', arguments: { text: 'kept' } }
    send(headers, { id: 9, method: 'tools/call', params }, leave.signal).catch(() => undefined)
    await isWaiting
    leave.abort()
    await send(headers, { id: 10, method: 'tools/list' })
    expect(gateway.handler.aborted).not.toContain('kept')
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 9 } }
    expect((await send(headers, cancelled)).status).toBe(202)
    await isAborted
  })

  it('accepts responses to unknown questions and cancellations of unknown requests', async () => {
    const headers = await newSession()
    for (const message of [
      { id: 'ask-99', result: {} },
      { method: 'notifications/cancelled', params: { requestId: 12345 } },
      { method: 'notifications/roots/list_changed' },
    ]) {
      expect((await send(headers, message)).status).toBe(202)
    }
    expect(gateway.handler.told).toContainEqual({ method: 'notifications/roots/list_changed' })
  })

  it('answers each request of a batch as soon as its result is there', async () => {
    const headers = await newSession()
    const wait = { name: 'wait', arguments: { text: 'in batch' } }
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: wait },
      { jsonrpc: '2.0', id: 2, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
    ]
    const response = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(batch) })
    expect(await messagesOf(response)).toEqual([{ jsonrpc: '2.0', id: 2, result: {} }])
    expect(gateway.handler.aborted).toContain('in batch')
  })
})

/** The events of a stream, one by one. */
async function streamOf(headers: Headers) {
  const response = await fetch(`${gateway.url}/mcp`, { headers: { ...headers, accept: 'text/event-stream' } })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  return { response, next: async () => (await reader?.read())?.value, leave: () => reader?.cancel() }
}

describe('A session over Streamable HTTP', () => {
  it('begins with JSON, and takes the notification that follows from its own token only', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const response = await send(POLITE, { id: 'i', method: 'initialize', params })
    expect(response.headers.get('content-type')).toBe('application/json')
    const headers = { ...POLITE, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' }
    expect((await send(headers, { method: 'notifications/initialized' })).status).toBe(202)
    const foreign = { ...headers, authorization: 'Bearer secret-b' }
    expect((await send(foreign, { method: 'notifications/initialized' })).status).toBe(404)
  })

  it('remembers client and capabilities for all its requests', async () => {
    const headers = await newSession({ sampling: {} })
    const asked = ['prompts/list', 'ping', 'resources/subscribe'].map((method, id) =>
      send(headers, { id, method, params: { uri: 'x://1' } }).then(messagesOf),
    )
    expect(await Promise.all(asked)).toEqual([
      [{ jsonrpc: '2.0', id: 0, result: { prompts: [{ name: 'p', extra: 1 }] } }],
      [{ jsonrpc: '2.0', id: 1, result: {} }],
      [{ jsonrpc: '2.0', id: 2, result: {} }],
    ])
    expect(gateway.handler.asked.at(-1)?.caller).toMatchObject({ clientInfo, clientCapabilities: { sampling: {} } })
  })

  it('is notified of changes on its newest stream only', async () => {
    const headers = await newSession()
    const first = await streamOf(headers)
    expect(first.response.headers.get('content-type')).toBe('text/event-stream')
    gateway.listChanged('tools', 'default')
    expect(await first.next()).toContain('notifications/tools/list_changed')
    await send(headers, { id: 1, method: 'resources/subscribe', params: { uri: 'x://1' } }).then(messagesOf)
    const second = await streamOf(headers)
    expect(await first.next()).toBeUndefined()
    gateway.server.notifier.resourceUpdated(uriAt('default', 'x://1'))
    expect(await second.next()).toContain('"uri":"x://1"')
    await second.leave()
  })

  it('is asked for its folders when its request is over, also on a stream that it opens later', async () => {
    const headers = await newSession({ roots: {} })
    await send(headers, { id: 1, method: 'tools/list' }).then(messagesOf)
    const ask = gateway.handler.asked.at(-1)?.caller.ask
    const folders = ask?.({ method: 'roots/list' }, new AbortController().signal)
    const stream = await streamOf(headers)
    const event = (await stream.next()) ?? ''
    const { id, method } = JSON.parse(event.slice(event.indexOf('{'))) as JsonObject
    expect(method).toBe('roots/list')
    await send(headers, { id, result: { roots: [{ uri: 'file:///a' }] } })
    expect(await folders).toEqual({ roots: [{ uri: 'file:///a' }] })
    await stream.leave()
  })

  it('is no longer notified of a resource that it unsubscribed from', async () => {
    const headers = await newSession()
    const stream = await streamOf(headers)
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      await send(headers, { id: 1, method, params: { uri: 'x://gone' } }).then(messagesOf)
    }
    gateway.server.notifier.resourceUpdated(uriAt('default', 'x://gone'))
    gateway.listChanged('prompts', 'default')
    expect(await stream.next()).toContain('notifications/prompts/list_changed')
    await stream.leave()
  })

  it('ends with its stream on DELETE, and the handler is notified once', async () => {
    const headers = await newSession()
    await send(headers, { id: 1, method: 'ping' }).then(messagesOf)
    const stream = await streamOf(headers)
    expect((await fetch(`${gateway.url}/mcp`, { method: 'DELETE', headers })).status).toBe(200)
    expect(await stream.next()).toBeUndefined()
    expect((await send(headers, { id: 2, method: 'tools/list' })).status).toBe(404)
    expect(gateway.handler.closedSessions.filter((id) => id === headers['mcp-session-id'])).toHaveLength(1)
  })

  it('is not found by another token', async () => {
    const headers = { ...(await newSession()), authorization: 'Bearer secret-b' }
    expect((await streamOf(headers)).response.status).toBe(404)
    expect((await fetch(`${gateway.url}/mcp`, { method: 'DELETE', headers })).status).toBe(404)
  })
})
