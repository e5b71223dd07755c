import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSession, messagesOf, modernRequest, openDoor, TOOLS } from '../http/front-door.case.ts'
import type { JsonObject } from './json-rpc.ts'

let lean: Awaited<ReturnType<typeof openDoor>>
let sdk: Awaited<ReturnType<typeof openDoor>>
beforeAll(async () => {
  lean = await openDoor()
  sdk = await openDoor({ leanPath: false })
})
afterAll(() => Promise.all([lean.door.close(), sdk.door.close()]))

const CALLS: [string, JsonObject][] = [
  ['tools/list', {}],
  ['tools/list', { cursor: 'c' }],
  ...['echo', 'numbers', 'whoami', 'change', 'gateway-error', 'server-error', 'input', 'nothing', ''].map(
    (name): [string, JsonObject] => ['tools/call', { name, arguments: { text: 'ü "quoted" \u2028' } }],
  ),
  [
    'tools/call',
    { name: 'echo', arguments: { text: 'x' }, _meta: { progressToken: 5, traceparent: '00-1-2-01', 'our.org/key': 1 } },
  ],
  ['tools/call', { name: 'echo', extra: [1], __proto__: { polluted: true } }],
]

/** The same request to both; ids and codes, results and what the handler was asked must agree. */
async function both(send: (url: string) => Promise<Response>) {
  const seen = []
  for (const gateway of [lean, sdk]) {
    const response = await send(`${gateway.url}/mcp`)
    const messages = await messagesOf(response)
    const asked = gateway.handler.asked.at(-1)
    const { principal, endpoint, era, protocolVersion, clientInfo, clientCapabilities } = asked?.caller ?? {}
    seen.push({
      status: response.status,
      messages,
      asked: asked?.request,
      caller: { principal, endpoint, era, protocolVersion, clientInfo, clientCapabilities },
    })
  }
  return seen
}

describe('The lean path and the SDK', () => {
  it.each(CALLS)('say the same in 2026-07-28 to %s %j', async (method, { _meta, ...params }) => {
    const { headers, message } = modernRequest(method, params, _meta as JsonObject)
    const [one, other] = await both((url) => fetch(url, { method: 'POST', headers, body: JSON.stringify(message) }))
    expect(one).toEqual(other)
  })

  it.each(CALLS)('say the same in a session to %s %j', async (method, params) => {
    const sessions = {
      [lean.url]: await beginSession(`${lean.url}/mcp`),
      [sdk.url]: await beginSession(`${sdk.url}/mcp`),
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'text-id', method, params })
    const [one, other] = await both((url) =>
      fetch(url, { method: 'POST', headers: sessions[new URL(url).origin] ?? {}, body }),
    )
    expect(one).toEqual(other)
  })

  it('keep every field of results, and give each era the fields that it must have', async () => {
    const { headers, message } = modernRequest('tools/call', { name: 'echo', arguments: { text: 'x' } })
    const [one] = await both((url) => fetch(url, { method: 'POST', headers, body: JSON.stringify(message) }))
    expect(one?.messages[0]).toEqual({
      jsonrpc: '2.0',
      id: 7,
      result: {
        content: [{ type: 'text', text: 'x', odd: { kept: 1 } }],
        'x-top': 'kept',
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'tooldex', version: '9.9.9' } },
      },
    })
  })

  it('list tools with all that is said of them, save what an era cannot read', async () => {
    const modern = modernRequest('tools/list')
    const [now] = await messagesOf(
      await fetch(`${lean.url}/mcp`, { method: 'POST', headers: modern.headers, body: JSON.stringify(modern.message) }),
    )
    const { execution: _, ...echo } = TOOLS[0] as JsonObject
    expect(now?.['result']).toMatchObject({
      tools: [echo, TOOLS[1]],
      ttlMs: 0,
      cacheScope: 'private',
      'x-more': { kept: true },
    })
    expect(JSON.stringify(now)).not.toContain('execution')
    const headers = await beginSession(`${lean.url}/mcp`)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const [then] = await messagesOf(await fetch(`${lean.url}/mcp`, { method: 'POST', headers, body }))
    const { outputSchema: __, ...numbers } = TOOLS[1] as JsonObject
    expect(then?.['result']).toEqual({ tools: [TOOLS[0], numbers], 'x-more': { kept: true } })
  })

  it('are told apart by what they send: one plain JSON, the other a stream', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const types = []
    for (const { url } of [lean, sdk]) {
      const response = await fetch(`${url}/mcp`, { method: 'POST', headers: await beginSession(`${url}/mcp`), body })
      types.push(response.headers.get('content-type'))
      await response.text()
    }
    expect(types).toEqual(['application/json', 'text/event-stream'])
  })

  it('[P7] send a changed list before the answer on the same stream', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'change' } })
    for (const { url } of [lean, sdk]) {
      const response = await fetch(`${url}/mcp`, { method: 'POST', headers: await beginSession(`${url}/mcp`), body })
      const messages = await messagesOf(response)
      expect(messages[0]).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
      expect(messages[1]).toMatchObject({ id: 1, result: { content: [{ text: 'changed' }] } })
    }
  })

  it('end a call whose client has gone away (2026-07-28)', async () => {
    for (const gateway of [lean, sdk]) {
      const { headers, message } = modernRequest('tools/call', { name: 'wait', arguments: { text: 'gone' } })
      const isWaiting = gateway.handler.waiting('gone')
      const isAborted = gateway.handler.waiting('gone aborted')
      const leave = new AbortController()
      const body = JSON.stringify(message)
      const call = fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body, signal: leave.signal }).catch(
        () => 'left',
      )
      await isWaiting
      leave.abort()
      await isAborted
      expect(await call).toBe('left')
    }
  })

  it('keep a call of a session going when its stream breaks, and end it when it is cancelled', async () => {
    for (const gateway of [lean, sdk]) {
      const headers = await beginSession(`${gateway.url}/mcp`)
      const send = (message: JsonObject, signal?: AbortSignal) =>
        fetch(`${gateway.url}/mcp`, {
          method: 'POST',
          headers,
          body: JSON.stringify(message),
          ...(signal ? { signal } : {}),
        })
      const isWaiting = gateway.handler.waiting('kept')
      const isAborted = gateway.handler.waiting('kept aborted')
      const leave = new AbortController()
      const params = { name: 'wait', arguments: { text: 'kept' } }
      send({ jsonrpc: '2.0', id: 9, method: 'tools/call', params }, leave.signal).catch(() => undefined)
      await isWaiting
      leave.abort()
      await send({ jsonrpc: '2.0', id: 10, method: 'tools/list' })
      expect(gateway.handler.aborted).not.toContain('kept')
      const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 9 } }
      expect((await send(cancelled)).status).toBe(202)
      await isAborted
    }
  })

  it('take what a client says of an unknown question or request calmly', async () => {
    for (const { url } of [lean, sdk]) {
      const headers = await beginSession(`${url}/mcp`)
      for (const message of [
        { jsonrpc: '2.0', id: 'ask-99', result: {} },
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 12345 } },
        { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      ]) {
        const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
        expect(response.status).toBe(202)
      }
    }
    for (const { handler } of [lean, sdk])
      expect(handler.told).toContainEqual({ method: 'notifications/roots/list_changed' })
  })
})
