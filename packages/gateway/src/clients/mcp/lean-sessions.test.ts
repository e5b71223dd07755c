import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSession, messagesOf, openDoor, POLITE } from '../http/front-door.case.ts'
import type { JsonObject } from './json-rpc.ts'

let lean: Awaited<ReturnType<typeof openDoor>>
let sdk: Awaited<ReturnType<typeof openDoor>>
beforeAll(async () => {
  lean = await openDoor()
  sdk = await openDoor({ leanPath: false })
})
afterAll(() => Promise.all([lean.door.close(), sdk.door.close()]))

type Headers = Readonly<Record<string, string>>
const send = (url: string, headers: Headers, message: JsonObject) =>
  fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })

const initialize = (params: JsonObject): JsonObject => ({ id: 'i', method: 'initialize', params })
const clientInfo = { name: 'raw', version: '1' }

/** Events of a stream, as they come. */
async function listening(url: string, headers: Headers) {
  const response = await fetch(`${url}/mcp`, { headers: { ...headers, accept: 'text/event-stream' } })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  return { response, next: async () => (await reader?.read())?.value, leave: () => reader?.cancel() }
}

describe('A session that begins without the SDK', () => {
  it.each([
    { protocolVersion: '2025-11-25', capabilities: { roots: { listChanged: true }, sampling: {} }, clientInfo },
    { protocolVersion: '2024-11-05', capabilities: {}, clientInfo },
    { protocolVersion: '1999-01-01', capabilities: {}, clientInfo },
    { protocolVersion: '2025-11-25', capabilities: { sampling: 5 }, clientInfo },
    { protocolVersion: '2025-11-25', clientInfo },
    { protocolVersion: 7, capabilities: {}, clientInfo },
    { capabilities: {} },
  ])('is told what the SDK tells: %j', async (params) => {
    const told = []
    for (const { url } of [lean, sdk]) {
      const response = await send(url, POLITE, initialize(params))
      const hasSession = response.headers.has('mcp-session-id')
      told.push({ status: response.status, hasSession, messages: await messagesOf(response) })
    }
    expect(told[0]).toEqual(told[1])
  })

  it('answers in JSON, and takes the notification that follows', async () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const response = await send(lean.url, POLITE, initialize(params))
    expect(response.headers.get('content-type')).toBe('application/json')
    const headers = { ...POLITE, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' }
    expect((await send(lean.url, headers, { method: 'notifications/initialized' })).status).toBe(202)
    const foreign = { ...headers, authorization: 'Bearer secret-b' }
    expect((await send(lean.url, foreign, { method: 'notifications/initialized' })).status).toBe(404)
  })

  it('takes what needs no answer without the SDK as with it', async () => {
    for (const isKnownToSdk of [false, true]) {
      const headers = await beginSession(`${lean.url}/mcp`)
      if (isKnownToSdk) await send(lean.url, headers, { id: 1, method: 'ping' }).then(messagesOf)
      const isWaiting = lean.handler.waiting('told')
      const isAborted = lean.handler.waiting('told aborted')
      const params = { name: 'wait', arguments: { text: 'told' } }
      const call = send(lean.url, headers, { id: 9, method: 'tools/call', params })
      await isWaiting
      for (const message of [
        { method: 'notifications/initialized' },
        { method: 'notifications/roots/list_changed' },
        { id: 'ask-99', result: {} },
        { method: 'notifications/cancelled', params: { requestId: 9 } },
      ]) {
        expect((await send(lean.url, headers, message)).status).toBe(202)
      }
      await isAborted
      await call
    }
    const news = lean.handler.told.filter(({ method }) => method === 'notifications/roots/list_changed')
    expect(news).toHaveLength(2)
  })

  it('asks for what only the SDK answers as if it had always been the SDK’s', async () => {
    const headers = await beginSession(`${lean.url}/mcp`, { sampling: {} })
    const asked = ['prompts/list', 'ping', 'resources/subscribe'].map((method, id) =>
      send(lean.url, headers, { id, method, params: { uri: 'x://1' } }).then(messagesOf),
    )
    expect(await Promise.all(asked)).toEqual([
      [{ jsonrpc: '2.0', id: 0, result: { prompts: [{ name: 'p', odd: 1 }] } }],
      [{ jsonrpc: '2.0', id: 1, result: {} }],
      [{ jsonrpc: '2.0', id: 2, result: {} }],
    ])
    expect(lean.handler.asked.at(-1)?.caller).toMatchObject({ clientInfo, clientCapabilities: { sampling: {} } })
  })

  it('hears of changes on its stream, also when the SDK came in later, and on the newest stream only', async () => {
    const headers = await beginSession(`${lean.url}/mcp`)
    const first = await listening(lean.url, headers)
    expect(first.response.headers.get('content-type')).toBe('text/event-stream')
    lean.door.notifier.toolsChanged(new Set(['default']))
    expect(await first.next()).toContain('notifications/tools/list_changed')
    await send(lean.url, headers, { id: 1, method: 'resources/subscribe', params: { uri: 'x://1' } }).then(messagesOf)
    const second = await listening(lean.url, headers)
    expect(await first.next()).toBeUndefined()
    lean.door.notifier.resourceUpdated('default', 'x://1')
    expect(await second.next()).toContain('"uri":"x://1"')
    await second.leave()
  })

  it('ends with its stream when the client ends it, and the inside is told once', async () => {
    const headers = await beginSession(`${lean.url}/mcp`)
    await send(lean.url, headers, { id: 1, method: 'ping' }).then(messagesOf)
    const stream = await listening(lean.url, headers)
    const ended = await fetch(`${lean.url}/mcp`, { method: 'DELETE', headers })
    expect(ended.status).toBe(200)
    expect(await stream.next()).toBeUndefined()
    expect((await send(lean.url, headers, { id: 2, method: 'tools/list' })).status).toBe(404)
    expect(lean.handler.closedSessions.filter((id) => id === headers['mcp-session-id'])).toHaveLength(1)
  })

  it('is not found, whatever is asked of it, by a token that it is not of', async () => {
    const headers = { ...(await beginSession(`${lean.url}/mcp`)), authorization: 'Bearer secret-b' }
    expect((await listening(lean.url, headers)).response.status).toBe(404)
    expect((await fetch(`${lean.url}/mcp`, { method: 'DELETE', headers })).status).toBe(404)
  })
})
