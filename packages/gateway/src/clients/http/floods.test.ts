import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { modernRequest, openDoor, POLITE } from './front-door.case.ts'
import { asBytes } from './raw-http.case.ts'

type Door = Awaited<ReturnType<typeof openDoor>>

const clients: Client[] = []
afterEach(() => {
  for (const { socket } of clients.splice(0)) socket.destroy()
})

/** Somebody who speaks HTTP by hand. */
class Client {
  readonly socket: Socket
  reply = ''
  isClosed = false

  constructor({ port }: Door, text: string | Buffer = '') {
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
const call = (door: Door, text = 'x'): Promise<Response> => {
  const { headers, message } = modernRequest('tools/call', { name: 'echo', arguments: { text } })
  return fetch(`${door.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(message) })
}
const halfBody = (headers: Readonly<Record<string, string>> = POLITE): Buffer =>
  asBytes('/mcp', headers, 'x'.repeat(1_000)).subarray(0, -10)

/** The machine may be busy with something else. */
const SOON = { timeout: 20_000 }
const PATIENT = { timeout: 60_000 }

const WAYS = [
  ['through the lean entry', true],
  ['through Node alone', false],
] as const

describe.each(WAYS)('Slow clients, %s', PATIENT, (_, leanPath) => {
  it('are let go when their time is over, and nobody else is', async () => {
    const connectionLimits = { headTimeoutMs: 1_500, requestTimeoutMs: 2_000, keepAliveMs: 1_000 }
    await using door = await openDoor({ leanPath, connectionLimits })
    const slow = [
      new Client(door),
      new Client(door, 'POST /mcp HT'),
      new Client(door, 'GET /healthz HTTP/1.1\r\nHost: local'),
      new Client(door, halfBody()),
    ]
    const waiting = new Client(door, asBytes('/mcp', ...waitFor('long')))
    const done = new Client(door, callOf('done'))
    await expect.poll(() => done.statuses, SOON).toEqual(['200'])
    while (![...slow, done].every(({ isClosed }) => isClosed)) {
      const other = new Client(door, callOf('other'))
      await expect.poll(() => other.statuses, SOON).toEqual(['200'])
      other.socket.destroy()
    }
    expect(slow.map(({ statuses }) => statuses)).toEqual(slow.map(() => ['408']))
    // Waiting for an answer is not being slow.
    expect([waiting.isClosed, waiting.reply]).toEqual([false, ''])
  })

  it('that send a body byte by byte without a token are refused before it is there', async () => {
    let now = 0
    await using door = await openDoor({ leanPath, now: () => now })
    const stranger = new Client(door, halfBody({ 'content-type': 'application/json' }))
    await expect
      .poll(() => {
        now += 1_000
        door.door.sweep()
        return stranger.statuses
      }, SOON)
      .toEqual(['401'])
  })
})

function waitFor(text: string): [Record<string, string>, string] {
  const { headers, message } = modernRequest('tools/call', { name: 'wait', arguments: { text } })
  return [headers, JSON.stringify(message)]
}

describe.each(WAYS)('More connections than there may be, %s', PATIENT, (_, leanPath) => {
  it('push out those that show no token, and none that did', async () => {
    await using door = await openDoor({ leanPath, connectionLimits: { maxConnections: 5 } })
    const guest = new Client(door, callOf('first'))
    await expect.poll(() => guest.statuses, SOON).toEqual(['200'])
    const flood = Array.from({ length: 30 }, (__, at) => new Client(door, ['', 'POST /m', 'GET '][at % 3]))
    await expect.poll(() => flood.filter(({ isClosed }) => isClosed).length, SOON).toBe(26)
    const late = new Client(door, callOf('late'))
    await expect.poll(() => late.statuses, SOON).toEqual(['200'])
    guest.socket.write(callOf('second'))
    await expect.poll(() => guest.statuses, SOON).toEqual(['200', '200'])
    expect(door.door.connectionCounts).toEqual({ open: 5, refused: 0, gaveWay: 27, unread: 0 })
    expect(door.log.lines).toHaveLength(1)
  })

  it('are refused where all have shown one, whatever a refused one sends', async () => {
    await using door = await openDoor({ leanPath, connectionLimits: { maxConnections: 2 } })
    const guests = [new Client(door, callOf('a')), new Client(door, callOf('b'))]
    await expect.poll(() => guests.map(({ statuses }) => statuses), SOON).toEqual([['200'], ['200']])
    const asked = door.handler.asked.length
    const late = new Client(door, callOf('late'))
    await expect.poll(() => late.isClosed, SOON).toBe(true)
    expect(late.statuses).toEqual(['503'])
    expect(late.reply).toContain('CONNECTION_REFUSED')
    expect(door.handler.asked.length).toBe(asked)
    guests[0]?.socket.destroy()
    await expect.poll(() => door.door.connectionCounts.open, SOON).toBe(1)
    expect((await call(door)).status).toBe(200)
  })

  it('count a wrong token as none', async () => {
    await using door = await openDoor({ leanPath, connectionLimits: { maxConnections: 1 } })
    const wrong = asBytes('/mcp', { ...POLITE, authorization: 'Bearer wrong' }, '')
    const stranger = new Client(door, wrong)
    await expect.poll(() => stranger.statuses, SOON).toEqual(['401'])
    const guest = new Client(door, callOf('x'))
    await expect.poll(() => guest.statuses, SOON).toEqual(['200'])
    expect(stranger.isClosed).toBe(true)
  })
})

it('Whoever proves itself to another part of the gateway does not give way either', PATIENT, async () => {
  const areas = new Map([
    ['api', (__: unknown, res: { end(text: string): unknown }, proven: () => void) => (proven(), res.end('ok'), true)],
  ])
  await using door = await openDoor({ areas, connectionLimits: { maxConnections: 1 } })
  const admin = new Client(door, 'GET /api/x HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await expect.poll(() => admin.statuses, SOON).toEqual(['200'])
  const late = new Client(door)
  await expect.poll(() => late.statuses, SOON).toEqual(['503'])
  expect(admin.isClosed).toBe(false)
})

describe.each(WAYS)('A client that does not read, %s', PATIENT, (_, leanPath) => {
  it('is asked for nothing more than it takes, and let go in the end', async () => {
    let [now, asked] = [0, 0]
    const handler = {
      describe: () => ({ capabilities: { tools: {} }, serverInfo: { name: 'large', version: '1' } }),
      handle: async () => ({ content: [{ type: 'text', text: 'x'.repeat(++asked > 0 ? 2_000_000 : 0) }] }),
      notified: () => undefined,
      sessionClosed: () => undefined,
    }
    await using door = await openDoor({ leanPath, handler, now: () => now })
    const deaf = new Client(door)
    deaf.socket.pause()
    // Far beyond what the system keeps for a connection by itself.
    for (let count = 0; count < 100; count++) deaf.socket.write(callOf('x'))
    await expect
      .poll(() => {
        now += 200_000
        door.door.sweep()
        return door.door.connectionCounts
      }, SOON)
      .toMatchObject({ open: 0, unread: 1 })
    expect(asked).toBeLessThan(50)
    const other = new Client(door, callOf('x'))
    await expect.poll(() => other.statuses, SOON).toEqual(['200'])
  })
})

it('A stream of old whose client asks and never reads is ended before it fills memory', {
  timeout: 30_000,
}, async () => {
  await using door = await openDoor()
  const { authorization } = POLITE
  const deaf = new Client(door, `GET /sse HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`)
  await expect.poll(() => /data: (\S+)/.exec(deaf.reply)?.[1], SOON).toBeDefined()
  deaf.socket.pause()
  const path = /data: (\S+)/.exec(deaf.reply)?.[1] ?? ''
  const post = (message: object): Promise<Response> =>
    fetch(door.url + path, { method: 'POST', headers: POLITE, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'deaf', version: '1' } }
  expect((await post({ id: 0, method: 'initialize', params })).status).toBe(202)
  const ask = { method: 'tools/call', params: { name: 'echo', arguments: { text: 'x'.repeat(2_000_000) } } }
  const statuses: number[] = []
  for (let id = 1; id <= 40 && statuses.at(-1) !== 404; id++) statuses.push((await post({ id, ...ask })).status)
  expect(statuses.at(-1)).toBe(404)
  expect(door.door.sessionCount).toBe(0)
})
