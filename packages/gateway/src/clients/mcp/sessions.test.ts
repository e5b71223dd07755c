import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import { beginSession, ENDPOINTS, openListener, POLITE } from '../http/listener.case.ts'
import { hasAllRightsOf, Sessions } from './sessions.ts'

const A: Principal = { tokenId: 'a', name: 'A', readOnly: false }
const B: Principal = { tokenId: 'b', name: 'B', readOnly: false }
const [DEFAULT, TEAM] = ENDPOINTS as [Endpoint, Endpoint]
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

describe('Sessions', () => {
  it('finds a session for its own token, endpoint and transport only', () => {
    const sessions = new Sessions(() => 0)
    const { sessionId } = sessions.begin('http', A, DEFAULT)
    expect(sessions.find(sessionId, 'http', A, DEFAULT)?.sessionId).toBe(sessionId)
    expect(sessions.find(sessionId, 'http', B, DEFAULT)).toBeUndefined()
    expect(sessions.find(sessionId, 'http', A, TEAM)).toBeUndefined()
    expect(sessions.find(sessionId, 'sse', A, DEFAULT)).toBeUndefined()
  })

  it('makes ids of 128 random bits', () => {
    const sessions = new Sessions(() => 0)
    const ids = new Set(Array.from({ length: 500 }, () => sessions.begin('http', A, DEFAULT).sessionId))
    expect(ids.size).toBe(500)
    for (const id of ids) expect(Buffer.from(id, 'base64url')).toHaveLength(16)
  })

  it('ends idle sessions, but none with an open stream or request', () => {
    let now = 0
    const sessions = new Sessions(() => now, { perToken: 9, total: 9, idleMs: 1_000 })
    const idle = sessions.begin('http', A, DEFAULT)
    const streaming = sessions.begin('http', A, DEFAULT)
    const used = sessions.begin('http', A, DEFAULT)
    streaming.open = 1
    now = 900
    sessions.find(used.sessionId, 'http', A, DEFAULT)
    now = 1_000
    sessions.sweep((client) => client)
    const left = [idle, streaming, used].filter(({ sessionId }) => sessions.find(sessionId, 'http', A, DEFAULT))
    expect(left).toEqual([streaming, used])
  })

  it('ends the sessions of a token that is no longer valid', () => {
    const sessions = new Sessions(() => 0)
    sessions.begin('http', A, DEFAULT)
    sessions.begin('http', B, DEFAULT)
    sessions.sweep((client) => (client.principal.tokenId === 'a' ? undefined : client))
    expect(sessions.size).toBe(1)
  })

  it('ends a session when its token lost rights, and keeps it when it gained some', () => {
    const sessions = new Sessions(() => 0)
    const confined = { ...A, servers: new Set(['s']) }
    const { sessionId } = sessions.begin('http', confined, DEFAULT)
    expect(sessions.find(sessionId, 'http', A, DEFAULT)?.principal).toBe(A)
    expect(sessions.find(sessionId, 'http', confined, DEFAULT)).toBeUndefined()
    expect(sessions.size).toBe(0)
  })

  it('refuses sessions beyond the limits, and evicts the longest unused first', () => {
    let now = 0
    const sessions = new Sessions(() => now, { perToken: 2, total: 3, idleMs: 9e9 })
    const first = sessions.begin('http', A, DEFAULT)
    sessions.begin('http', A, DEFAULT)
    expect(() => sessions.begin('http', A, DEFAULT)).toThrow(expect.objectContaining({ code: 'TOO_MANY_SESSIONS' }))
    sessions.begin('http', B, DEFAULT)
    expect(() => sessions.begin('http', B, DEFAULT)).toThrow(expect.objectContaining({ code: 'TOO_MANY_SESSIONS' }))
    now = 60_000
    sessions.begin('http', A, DEFAULT)
    expect(sessions.find(first.sessionId, 'http', A, DEFAULT)).toBeUndefined()
    expect(sessions.size).toBe(3)
  })

  it('aborts open calls and questions when a session ends', async () => {
    const sessions = new Sessions(() => 0)
    const session = sessions.begin('http', A, DEFAULT)
    const call = session.beginCall(1)
    const question = session.ask({ method: 'roots/list' }, () => true, new AbortController().signal)
    session.end()
    session.end()
    expect(call.signal.aborted).toBe(true)
    await expect(question).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('withdraws a question when its call is cancelled', async () => {
    const session = new Sessions(() => 0).begin('http', A, DEFAULT)
    const sent: unknown[] = []
    const controller = new AbortController()
    const question = session.ask({ method: 'roots/list' }, (message) => sent.push(message) > 0, controller.signal)
    controller.abort()
    await expect(question).rejects.toMatchObject({ code: 'CALL_CANCELLED' })
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 'ask-1', method: 'roots/list' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'ask-1' } },
    ])
  })
})

const SENT_AHEAD = 500

/** Sends all requests over one connection, hundreds at a time; resolves to their statuses. */
function pipelined(port: number, requests: readonly string[]): Promise<string[]> {
  return new Promise((resolve) => {
    const statuses: string[] = []
    let [unread, sent] = ['', 0]
    const socket = connect(port, '127.0.0.1', () => send())
    const send = (): void => {
      socket.write(requests.slice(sent, sent + SENT_AHEAD).join(''))
      sent += SENT_AHEAD
    }
    socket.on('data', (chunk) => {
      const lines = (unread + chunk.toString('latin1')).split('\r\n')
      unread = lines.pop() ?? ''
      for (const line of lines) statuses.push(...(/HTTP\/1\.1 (\d+)/.exec(line)?.slice(1) ?? []))
      if (statuses.length >= requests.length) socket.destroy()
      else if (statuses.length >= sent) send()
    })
    socket.on('close', () => resolve(statuses))
  })
}

describe('hasAllRightsOf', () => {
  const BEFORE: Principal = { ...A, projects: new Set(['p', 'q']), servers: new Set(['s']) }

  it.each<[string, boolean, Partial<Principal>]>([
    ['nothing changed', true, {}],
    ['it has more rights', true, { projects: new Set(['p', 'q', 'r']), servers: new Set(['s', 't']) }],
    ['it lost a project', false, { projects: new Set(['p']) }],
    ['it lost a server', false, { servers: new Set(['t']) }],
    ['it is read-only now', false, { readOnly: true }],
  ])('compares a token with its earlier self: %s', (_, expected, change) => {
    expect(hasAllRightsOf({ ...BEFORE, ...change }, BEFORE)).toBe(expected)
  })

  it('is false for a token that had all rights and is confined now', () => {
    expect(hasAllRightsOf({ ...A }, A)).toBe(true)
    expect(hasAllRightsOf({ ...A, projects: new Set(['p']) }, A)).toBe(false)
  })
})

describe('Sessions over HTTP', () => {
  it('answers 10,000 random ids with 404 and creates no session', async () => {
    await using gateway = await openListener()
    const requests = Array.from({ length: 10_000 }, (_, at) => {
      const method = ['POST', 'GET', 'DELETE'][at % 3] ?? 'POST'
      const body = method === 'POST' ? LIST : ''
      const headers = { host: 'localhost', ...POLITE, 'mcp-session-id': randomUUID(), 'content-length': body.length }
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      return `${method} /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
    })
    const statuses = await pipelined(gateway.port, requests)
    expect(statuses).toEqual(Array(10_000).fill('404'))
    expect(gateway.server.sessionCount).toBe(0)
  }, 20_000)

  it('hides a session from other tokens, for every method', async () => {
    await using gateway = await openListener()
    const headers = await beginSession(`${gateway.url}/mcp`)
    for (const [method, path] of [
      ['POST', '/mcp'],
      ['GET', '/mcp'],
      ['DELETE', '/mcp'],
      ['POST', '/team/mcp'],
    ] as const) {
      const stolen = { ...headers, authorization: path === '/mcp' ? 'Bearer secret-b' : headers.authorization }
      const init = { method, headers: stolen, ...(method === 'POST' ? { body: LIST } : {}) }
      const response = await fetch(gateway.url + path, init)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { code: -32001 } })
    }
    expect(gateway.server.sessionCount).toBe(1)
  })

  it('asks for a missing session id', async () => {
    await using gateway = await openListener()
    const response = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers: POLITE, body: LIST })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('Mcp-Session-Id') },
    })
  })

  it('ends a session on request, and notifies the handler', async () => {
    await using gateway = await openListener()
    const headers = await beginSession(`${gateway.url}/mcp`)
    const stream = await fetch(`${gateway.url}/mcp`, { headers })
    expect((await fetch(`${gateway.url}/mcp`, { method: 'DELETE', headers })).status).toBe(200)
    expect(await stream.text()).toBe('')
    expect((await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body: LIST })).status).toBe(404)
    expect(gateway.handler.closedSessions).toEqual([headers['mcp-session-id']])
  })

  it('keeps no session of a refused initialize', async () => {
    await using gateway = await openListener()
    const initialize = (change: object, headers: object = {}) =>
      fetch(`${gateway.url}/mcp`, {
        method: 'POST',
        headers: { ...POLITE, ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { ...change } }),
      })
    expect((await initialize({}, { accept: 'application/json' })).status).toBe(406)
    await (await initialize({})).text()
    await (await initialize({ protocolVersion: 7 })).text()
    await new Promise(setImmediate)
    expect(gateway.server.sessionCount).toBe(0)
  })

  it('answers 503 with a remedy at the limit', async () => {
    await using gateway = await openListener({ sessionLimits: { perToken: 1, total: 9, idleMs: 9e9 } })
    await beginSession(`${gateway.url}/mcp`)
    await expect(beginSession(`${gateway.url}/mcp`)).rejects.toThrow(/503.*TOO_MANY_SESSIONS/)
    await beginSession(`${gateway.url}/mcp`, {}, 'Bearer secret-b')
  })

  it('closes the streams of a revoked token', async () => {
    const revoked = new Set<string>()
    await using gateway = await openListener({
      rightsNow: (client) => (revoked.has(client.principal.tokenId) ? undefined : client),
    })
    const headers = await beginSession(`${gateway.url}/mcp`)
    const stream = await fetch(`${gateway.url}/mcp`, { headers })
    const sse = await fetch(`${gateway.url}/sse`, { headers: POLITE })
    revoked.add('a')
    gateway.server.sweep()
    expect(await stream.text()).toBe('')
    expect(await sse.text()).toContain('event: endpoint')
    expect(gateway.server.sessionCount).toBe(0)
  })
})

describe('Sessions over HTTP+SSE', () => {
  it('takes messages of its own token only', async () => {
    await using gateway = await openListener()
    const stream = await fetch(`${gateway.url}/team/sse`, { headers: POLITE })
    const reader = stream.body?.getReader()
    const first = new TextDecoder().decode((await reader?.read())?.value)
    const path = /data: (\S+)/.exec(first)?.[1] ?? ''
    expect(path).toMatch(/^\/team\/messages\?sessionId=/)
    const post = (headers: object, where = path, body = LIST) =>
      fetch(gateway.url + where, { method: 'POST', headers: { ...POLITE, ...headers }, body })
    expect((await post({ authorization: 'Bearer secret-b' })).status).toBe(404)
    expect((await post({}, path.replace('/team', ''))).status).toBe(404)
    expect((await post({}, '/team/messages')).status).toBe(400)
    expect((await post({}, path, '[]')).status).toBe(400)
    expect((await post({})).status).toBe(202)
    const id = new URL(path, gateway.url).searchParams.get('sessionId') ?? ''
    expect((await post({ 'mcp-session-id': id }, '/team/mcp')).status).toBe(404)
    await reader?.cancel()
  })
})
