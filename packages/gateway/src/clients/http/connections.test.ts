import { EventEmitter } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Connections } from './connections.ts'
import { LogLines } from './listener.case.ts'

/** The machine may be busy with something else. */
const SOON = { timeout: 20_000 }
const PATIENT = { timeout: 60_000 }

interface Client {
  readonly socket: Socket
  readonly read: () => string
  readonly closed: Promise<void>
  isClosed: boolean
}

describe('connections', PATIENT, () => {
  let server: Server
  let connections: Connections
  let log: LogLines
  let now: number
  let taken: Socket[]
  let clients: Client[]
  const begin = async (limits: { maxConnections?: number; maxConnectionsPerAddress?: number } = {}): Promise<void> => {
    connections = new Connections(server, {
      limits: { maxConnections: 3, unreadTimeoutMs: 10_000, ...limits },
      log,
      now: () => now,
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  }
  beforeEach(() => {
    now = 0
    log = new LogLines()
    taken = []
    clients = []
    server = createServer((_req, res) => res.end('ok'))
    server.on('connection', (socket) => taken.push(socket))
  })
  afterEach(async () => {
    for (const { socket } of clients) socket.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const client = async (): Promise<Client> => {
    let reply = ''
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('data', (chunk) => (reply += chunk.toString()))
    socket.on('error', () => undefined)
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    const made: Client = { socket, read: () => reply, closed, isClosed: false }
    void closed.then(() => (made.isClosed = true))
    clients.push(made)
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    return made
  }
  /** A client whose connection was accepted, and the gateway's end of it. */
  const guest = async (): Promise<{ near: Client; far: Socket }> => {
    const before = taken.length
    const near = await client()
    await expect.poll(() => taken.length, SOON).toBe(before + 1)
    return { near, far: taken[before] as Socket }
  }

  it('are counted while they are open', async () => {
    await begin()
    const one = await guest()
    expect(connections.counts).toEqual({ open: 1, refused: 0, evicted: 0, unread: 0 })
    one.near.socket.destroy()
    await expect.poll(() => connections.counts.open, SOON).toBe(0)
  })

  it('are evicted, oldest first, while no token was shown on them', async () => {
    await begin()
    const [known, oldest, second] = [await guest(), await guest(), await guest()]
    connections.authenticated(known.far)
    await guest()
    await oldest.near.closed
    expect(connections.counts).toEqual({ open: 3, refused: 0, evicted: 1, unread: 0 })
    await guest()
    await second.near.closed
    expect(known.near.isClosed).toBe(false)
  })

  it('are refused with a remedy if all others are authenticated', async () => {
    await begin()
    for (const { far } of [await guest(), await guest(), await guest()]) connections.authenticated(far)
    const late = await client()
    late.socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}')
    await late.closed
    expect(late.read()).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n.*retry-after: 5\r\nConnection: close\r\n\r\n/s)
    const [head = '', body = ''] = late.read().split('\r\n\r\n')
    expect(JSON.parse(body)).toMatchObject({ id: null, error: { data: { code: 'CONNECTION_REFUSED' } } })
    expect(head).toContain(`content-length: ${body.length}`)
    expect(connections.counts).toMatchObject({ open: 3, refused: 1 })
  })

  it('are logged once a minute', async () => {
    await begin({ maxConnections: 1 })
    for (let count = 0; count < 4; count++) await guest()
    await expect.poll(() => connections.counts.evicted, SOON).toBe(3)
    expect(log.lines).toHaveLength(1)
    now += 60_000
    await guest()
    await expect.poll(() => log.lines.length, SOON).toBe(2)
  })

  it('are refused beyond the limit of one address', async () => {
    await begin({ maxConnections: 100, maxConnectionsPerAddress: 2 })
    const first = await guest()
    await guest()
    const late = await client()
    await late.closed
    expect(late.read()).toContain('one address may have no more')
    first.near.socket.destroy()
    await expect.poll(() => connections.counts.open, SOON).toBe(1)
    await guest()
  })

  it('are refused by the hundred without keeping any', async () => {
    await begin({ maxConnections: 1 })
    connections.authenticated((await guest()).far)
    const late = await Promise.all(Array.from({ length: 300 }, () => client()))
    await Promise.all(late.map(({ closed }) => closed))
    expect(connections.counts).toMatchObject({ open: 1, refused: 300 })
  })

  const sweepAfter = (ms: number): void => {
    now += ms
    connections.sweep()
  }

  it('end if the client reads nothing for the limit, plus a moment for each waiting byte', async () => {
    await begin()
    const { near, far } = await guest()
    near.socket.pause()
    const text = 'x'.repeat(100_000)
    while (far.writableLength < 1_000_000) far.write(text)
    sweepAfter(0)
    sweepAfter(10_000 + far.writableLength / 16)
    expect(far.destroyed).toBe(false)
    sweepAfter(1)
    expect(far.destroyed).toBe(true)
    expect(connections.counts.unread).toBe(1)
  })

  it('stay open if the client reads now and then', async () => {
    await begin()
    const { far } = await guest()
    for (let round = 0; round < 3; round++) {
      far.write('x'.repeat(1_000_000))
      sweepAfter(100_000)
      expect(far.destroyed).toBe(false)
      // Read between two sweeps, of which each sees something that waits.
      await expect.poll(() => far.writableLength, SOON).toBe(0)
    }
  })

  it('do not take a keep-alive written to them for something read', async () => {
    await begin()
    const { near, far } = await guest()
    near.socket.pause()
    while (far.writableLength < 1_000_000) far.write('x'.repeat(100_000))
    sweepAfter(0)
    far.write(': keepalive\n\n')
    sweepAfter(60_000)
    far.write(': keepalive\n\n')
    sweepAfter(60_000)
    expect(far.destroyed).toBe(true)
  })

  it('serve pipelined requests one after another', async () => {
    await begin()
    const { far } = await guest()
    const seen: string[] = []
    const responses = ['one', 'two', 'three'].map((name) => {
      const response = new EventEmitter()
      connections.inTurn(far, response as ServerResponse, () => void seen.push(name))
      return response
    })
    expect(seen).toEqual(['one'])
    responses[0]?.emit('close')
    expect(seen).toEqual(['one', 'two'])
    far.end()
    responses[1]?.emit('close')
    expect(seen).toEqual(['one', 'two'])
  })

  it('end if too many requests are pipelined', async () => {
    await begin()
    const { far } = await guest()
    const ask = (): void => connections.inTurn(far, new EventEmitter() as ServerResponse, () => undefined)
    for (let count = 0; count <= 1_000; count++) ask()
    expect(far.destroyed).toBe(false)
    ask()
    expect(far.destroyed).toBe(true)
  })
})
