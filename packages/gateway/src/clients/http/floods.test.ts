import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { modernRequest, openListener, POLITE } from './listener.case.ts'
import { asBytes } from './raw-http.case.ts'

type Listener = Awaited<ReturnType<typeof openListener>>

const clients: Client[] = []
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy()
})

/** A client that writes HTTP by hand. */
class Client {
  readonly socket: Socket
  reply = ''
  isClosed = false

  constructor({ port }: Listener, text: string | Buffer = '') {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('data', (chunk) => (this.reply += chunk.toString('latin1')))
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => (this.isClosed = true))
    if (text.length > 0) this.socket.write(text)
    clients.push(this)
  }

  get statuses(): readonly string[] {
    return [...this.reply.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status)
  }
}

const callOf = (text: string): Buffer => {
  const { headers, message } = modernRequest('tools/call', { name: 'echo', arguments: { text } })
  return asBytes('/mcp', headers, JSON.stringify(message))
}
const call = (listener: Listener, text = 'x'): Promise<Response> => {
  const { headers, message } = modernRequest('tools/call', { name: 'echo', arguments: { text } })
  return fetch(`${listener.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
}
const halfBody = (headers: Readonly<Record<string, string>> = POLITE): Buffer =>
  asBytes('/mcp', headers, 'x'.repeat(1_000)).subarray(0, -10)

/** The machine may be busy with something else. */
const SOON = { timeout: 20_000 }
const PATIENT = { timeout: 60_000 }

describe('Slow clients', PATIENT, () => {
  it('are disconnected at their time limit, and no others are', async () => {
    const connectionLimits = { headTimeoutMs: 1_500, requestTimeoutMs: 2_000, keepAliveMs: 1_000 }
    await using listener = await openListener({ connectionLimits })
    const slow = [
      new Client(listener),
      new Client(listener, 'POST /mcp HT'),
      new Client(listener, 'GET /healthz HTTP/1.1\r\nHost: local'),
      new Client(listener, halfBody()),
    ]
    const waiting = new Client(listener, asBytes('/mcp', ...waitFor('long')))
    const done = new Client(listener, callOf('done'))
    await expect.poll(() => done.statuses, SOON).toEqual(['200'])
    while (![...slow, done].every(({ isClosed }) => isClosed)) {
      const other = new Client(listener, callOf('other'))
      await expect.poll(() => other.statuses, SOON).toEqual(['200'])
      other.socket.destroy()
    }
    expect(slow.map(({ statuses }) => statuses)).toEqual(slow.map(() => ['408']))
    // Waiting for an answer is not being slow.
    expect([waiting.isClosed, waiting.reply]).toEqual([false, ''])
  })

  it('that send a body byte by byte without a token are refused before it is there', async () => {
    let now = 0
    await using listener = await openListener({ now: () => now })
    const unauthenticated = new Client(listener, halfBody({ 'content-type': 'application/json' }))
    await expect
      .poll(() => {
        now += 1_000
        listener.server.sweep()
        return unauthenticated.statuses
      }, SOON)
      .toEqual(['401'])
  })
})

function waitFor(text: string): [Record<string, string>, string] {
  const { headers, message } = modernRequest('tools/call', { name: 'wait', arguments: { text } })
  return [headers, JSON.stringify(message)]
}

describe('Connections beyond the limit', PATIENT, () => {
  it('evict unauthenticated connections, and none that showed a token', async () => {
    await using listener = await openListener({ connectionLimits: { maxConnections: 5 } })
    const withToken = new Client(listener, callOf('first'))
    await expect.poll(() => withToken.statuses, SOON).toEqual(['200'])
    const flood = Array.from({ length: 30 }, (_, at) => new Client(listener, ['', 'POST /m', 'GET '][at % 3]))
    await expect.poll(() => flood.filter(({ isClosed }) => isClosed).length, SOON).toBe(26)
    const late = new Client(listener, callOf('late'))
    await expect.poll(() => late.statuses, SOON).toEqual(['200'])
    withToken.socket.write(callOf('second'))
    await expect.poll(() => withToken.statuses, SOON).toEqual(['200', '200'])
    expect(listener.server.connectionCounts).toEqual({ open: 5, refused: 0, evicted: 27, unread: 0 })
    expect(listener.log.lines).toHaveLength(1)
  })

  it('are refused if all others showed a token', async () => {
    await using listener = await openListener({ connectionLimits: { maxConnections: 2 } })
    const clientsWithToken = [new Client(listener, callOf('a')), new Client(listener, callOf('b'))]
    await expect.poll(() => clientsWithToken.map(({ statuses }) => statuses), SOON).toEqual([['200'], ['200']])
    const asked = listener.handler.asked.length
    const late = new Client(listener, callOf('late'))
    await expect.poll(() => late.isClosed, SOON).toBe(true)
    expect(late.statuses).toEqual(['503'])
    expect(late.reply).toContain('CONNECTION_REFUSED')
    expect(listener.handler.asked.length).toBe(asked)
    clientsWithToken[0]?.socket.destroy()
    await expect.poll(() => listener.server.connectionCounts.open, SOON).toBe(1)
    expect((await call(listener)).status).toBe(200)
  })

  it('count a wrong token as none', async () => {
    await using listener = await openListener({ connectionLimits: { maxConnections: 1 } })
    const wrong = asBytes('/mcp', { ...POLITE, authorization: 'Bearer wrong' }, '')
    const unauthenticated = new Client(listener, wrong)
    await expect.poll(() => unauthenticated.statuses, SOON).toEqual(['401'])
    const withToken = new Client(listener, callOf('x'))
    await expect.poll(() => withToken.statuses, SOON).toEqual(['200'])
    expect(unauthenticated.isClosed).toBe(true)
  })
})

it('A connection that is authenticated by an area is not evicted', PATIENT, async () => {
  const areas = new Map([
    [
      'api',
      (_: unknown, res: { end(text: string): unknown }, sender: { authenticated(): void }) => (
        sender.authenticated(), res.end('ok'), true
      ),
    ],
  ])
  await using listener = await openListener({ areas, connectionLimits: { maxConnections: 1 } })
  const admin = new Client(listener, 'GET /api/x HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await expect.poll(() => admin.statuses, SOON).toEqual(['200'])
  const late = new Client(listener)
  await expect.poll(() => late.statuses, SOON).toEqual(['503'])
  expect(admin.isClosed).toBe(false)
})

describe('A client that does not read', PATIENT, () => {
  it('holds up its own requests only, and is disconnected in the end', async () => {
    let [now, asked] = [0, 0]
    const handler = {
      describe: () => ({ capabilities: { tools: {} }, serverInfo: { name: 'large', version: '1' } }),
      handle: async () => ({ content: [{ type: 'text', text: 'x'.repeat(++asked > 0 ? 2_000_000 : 0) }] }),
      notified: () => undefined,
      sessionClosed: () => undefined,
      addedTo: () => [],
      restoreAdded: () => undefined,
    }
    await using listener = await openListener({ handler, now: () => now })
    const deaf = new Client(listener)
    deaf.socket.pause()
    // Far beyond what the system keeps for a connection by itself.
    for (let count = 0; count < 100; count++) deaf.socket.write(callOf('x'))
    await expect
      .poll(() => {
        now += 200_000
        listener.server.sweep()
        return listener.server.connectionCounts
      }, SOON)
      .toMatchObject({ open: 0, unread: 1 })
    expect(asked).toBeLessThan(50)
    const other = new Client(listener, callOf('x'))
    await expect.poll(() => other.statuses, SOON).toEqual(['200'])
  })
})

it('An HTTP+SSE stream whose client never reads is ended before it fills memory', {
  timeout: 30_000,
}, async () => {
  await using listener = await openListener()
  const { authorization } = POLITE
  const deaf = new Client(listener, `GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`)
  await expect.poll(() => /data: (\S+)/.exec(deaf.reply)?.[1], SOON).toBeDefined()
  deaf.socket.pause()
  const path = /data: (\S+)/.exec(deaf.reply)?.[1] ?? ''
  const post = (message: object): Promise<Response> =>
    fetch(listener.url + path, {
      method: 'POST',
      headers: POLITE,
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'deaf', version: '1' } }
  expect((await post({ id: 0, method: 'initialize', params })).status).toBe(202)
  const ask = { method: 'tools/call', params: { name: 'echo', arguments: { text: 'x'.repeat(2_000_000) } } }
  const statuses: number[] = []
  for (let id = 1; id <= 40 && statuses.at(-1) !== 404; id++) statuses.push((await post({ id, ...ask })).status)
  expect(statuses.at(-1)).toBe(404)
  expect(listener.server.sessionCount).toBe(0)
})
