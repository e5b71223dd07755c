import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LeanEntry, leanEntryBefore } from './lean-entry.ts'
import type { LeanResponse } from './lean-response.ts'
import { asBytes } from './raw-http.case.ts'

/** The machine may be busy with something else. */
const SOON = { timeout: 20_000 }
const PATIENT = { timeout: 60_000 }

describe('the lean entry', PATIENT, () => {
  const seen: string[] = []
  let now = 0
  let entry: LeanEntry
  let server: Server
  let port: number
  let open: LeanResponse | undefined
  beforeAll(async () => {
    server = createServer({ headersTimeout: 50, connectionsCheckingInterval: 10 }, (_req, res) => {
      seen.push('node')
      res.end('by Node')
    })
    entry = leanEntryBefore(server, {
      takes: ({ url }) => url === '/mcp',
      serve: ({ body }, response) => {
        seen.push(`lean ${body.toString()}`)
        open = response
      },
      headMs: 3_000,
      keepAliveMs: 5_000,
      now: () => now,
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => {
    entry.destroy()
    server.closeAllConnections()
    server.close()
  })

  const plain = (body: string): Buffer => asBytes('/mcp', {}, body)
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 6; turn++) await nextTurn()
  }
  const client = async (): Promise<{ socket: Socket; read: () => string; closed: Promise<void> }> => {
    seen.length = 0
    let reply = ''
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => (reply += chunk.toString()))
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    return { socket, read: () => reply, closed }
  }

  it('answers plain requests itself, one after the other on one connection', async () => {
    const { socket, read } = await client()
    for (const body of ['one', 'two']) {
      socket.write(plain(body))
      await expect.poll(() => seen.at(-1), SOON).toBe(`lean ${body}`)
      open?.writeHead(200, { 'content-length': 3 }).end(body)
      await expect.poll(() => read().endsWith(body), SOON).toBe(true)
    }
    expect(read()).toContain('Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n')
    socket.destroy()
    await expect.poll(() => entry.size, SOON).toBe(0)
  })

  it('waits for the rest of a body', async () => {
    const { socket } = await client()
    const bytes = plain('hello')
    socket.write(bytes.subarray(0, -2))
    await turns()
    expect(seen).toEqual([])
    socket.write(bytes.subarray(-2))
    await expect.poll(() => seen, SOON).toEqual(['lean hello'])
    socket.destroy()
  })

  it('gives a connection to Node for good with the first request that is not plain', async () => {
    const { socket, read } = await client()
    for (const bytes of [asBytes('/other', {}, ''), plain('now Node’s')]) {
      const before = read().length
      socket.write(bytes)
      await expect.poll(() => read().length, SOON).toBeGreaterThan(before)
    }
    expect(seen).toEqual(['node', 'node'])
    expect(entry.size).toBe(0)
    socket.destroy()
  })

  it('answers in order when a client sends ahead, and then lets Node go on', async () => {
    const { socket, read } = await client()
    socket.write(plain('first'))
    await expect.poll(() => seen, SOON).toEqual(['lean first'])
    socket.write(plain('second'))
    socket.write(plain('third'))
    await turns()
    expect(seen).toEqual(['lean first'])
    open?.end('the first')
    await expect.poll(() => seen, SOON).toEqual(['lean first', 'node', 'node'])
    await expect.poll(() => read().split('by Node').length, SOON).toBe(3)
    expect(read().indexOf('the first')).toBeLessThan(read().indexOf('by Node'))
    socket.destroy()
  })

  it('writes a stream as Node does, piece by piece', async () => {
    const { socket, read } = await client()
    socket.write(plain('stream'))
    await expect.poll(() => seen, SOON).toEqual(['lean stream'])
    open?.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    await expect.poll(read, SOON).toMatch(/Transfer-Encoding: chunked\r\n\r\n$/)
    open?.write('größer')
    open?.write(new Uint8Array([104, 105]))
    open?.end('end')
    await expect.poll(read, SOON).toMatch(/\r\n\r\n8\r\ngr.*er\r\n2\r\nhi\r\n3\r\nend\r\n0\r\n\r\n$/s)
    socket.destroy()
  })

  it('refuses to write a header that would be two', () => {
    expect(() => open?.writeHead(200, { location: 'x\r\nset-cookie: y' })).toThrow('location')
  })

  it('tells of a client that leaves before its answer', async () => {
    const { socket } = await client()
    socket.write(plain('leave'))
    await expect.poll(() => seen, SOON).toEqual(['lean leave'])
    const events: string[] = []
    open?.once('close', () => events.push(`close ${open?.writableFinished} ${open?.destroyed}`))
    socket.destroy()
    await expect.poll(() => events, SOON).toEqual(['close false true'])
  })

  it('tells a writer that the client has read', async () => {
    const { socket } = await client()
    socket.write(plain('much'))
    await expect.poll(() => seen, SOON).toEqual(['lean much'])
    socket.pause()
    open?.writeHead(200)
    let drained = false
    open?.once('drain', () => (drained = true))
    while (open?.write('x'.repeat(100_000)) === true);
    expect(open?.writableLength).toBeGreaterThan(0)
    socket.resume()
    await expect.poll(() => drained, SOON).toBe(true)
    socket.destroy()
  })

  it('ends with a client that says that it is done', async () => {
    const { socket, closed } = await client()
    socket.end()
    await closed
  })

  it('tells a client that breaks off in the middle of a body', async () => {
    const { socket, read, closed } = await client()
    socket.end(plain('hello').subarray(0, -2))
    await closed
    expect(read()).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  const sweepAfter = (ms: number): number => {
    now += ms
    entry.sweep()
    return entry.size
  }

  it.each([
    ['says nothing', ''],
    ['says half a head', 'POST /mcp HTTP/1.1\r\nHost: local'],
    ['says half of what Node would be given', 'GET /healthz HTTP/1.1\r\n'],
  ])('tells who %s that it took too long, and not before', async (_, half) => {
    const { socket, read, closed } = await client()
    await expect.poll(() => entry.size, SOON).toBe(1)
    if (half !== '') socket.write(half)
    await turns()
    expect(sweepAfter(2_500)).toBe(1)
    sweepAfter(1_000)
    await closed
    expect(read()).toBe('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n')
    expect(seen).toEqual([])
    expect(entry.size).toBe(0)
  })

  it('gives half a head its time from its first byte, on a connection that was used before', async () => {
    const { socket, read, closed } = await client()
    socket.write(plain('first'))
    await expect.poll(() => seen, SOON).toEqual(['lean first'])
    open?.end('ok')
    await expect.poll(() => read().endsWith('ok'), SOON).toBe(true)
    expect(sweepAfter(4_000)).toBe(1)
    socket.write('POST /m')
    await turns()
    await expect.poll(() => socket.bytesWritten, SOON).toBeGreaterThan(0)
    expect(sweepAfter(2_500)).toBe(1)
    sweepAfter(1_000)
    await closed
    expect(read()).toMatch(/408 Request Timeout/)
  })

  it('reads a head that comes byte by byte, and a body that does', async () => {
    const { socket } = await client()
    for (const byte of plain('slowly')) {
      socket.write(Buffer.from([byte]))
      await nextTurn()
    }
    await expect.poll(() => seen, SOON).toEqual(['lean slowly'])
    socket.destroy()
  })

  it('lets go of many in one sweep, and of none that came to its end meanwhile', async () => {
    const clients = await Promise.all(Array.from({ length: 60 }, client))
    await expect.poll(() => entry.size, SOON).toBe(60)
    sweepAfter(4_000)
    await Promise.all(clients.map(({ closed }) => closed))
    expect(entry.size).toBe(0)
    for (const { read } of clients) expect(read()).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('leaves halves to Node once all connections together have sent too many of them', async () => {
    const whole = asBytes('/mcp', {}, 'x'.repeat(60_000))
    const half = whole.subarray(0, 500)
    const clients: Awaited<ReturnType<typeof client>>[] = []
    for (let count = 0; count < 300; count++) {
      const one = await client()
      one.socket.write(half)
      clients.push(one)
    }
    const byNode = (): number => clients.filter(({ read }) => read().includes('by Node')).length
    await expect.poll(byNode, SOON).toBe(300 - Math.floor((16 * 1024 * 1024) / whole.length))
    for (const { socket } of clients) socket.destroy()
    await expect.poll(() => entry.size, SOON).toBe(0)
    const { socket } = await client()
    socket.write(half)
    await turns()
    expect([seen, entry.size]).toEqual([[], 1])
    socket.destroy()
  })

  it('notices that a client leaves that has sent ahead', async () => {
    const { socket } = await client()
    socket.write(plain('first'))
    await expect.poll(() => seen, SOON).toEqual(['lean first'])
    const events: string[] = []
    open?.once('close', () => events.push('close'))
    for (const ahead of ['second', 'third']) {
      socket.write(plain(ahead))
      await turns()
    }
    socket.destroy()
    await expect.poll(() => events, SOON).toEqual(['close'])
    expect(seen).toEqual(['lean first'])
  })

  it('reads no more than a little of what is sent ahead', async () => {
    const { socket } = await client()
    socket.write(plain('first'))
    await expect.poll(() => seen, SOON).toEqual(['lean first'])
    const before = process.memoryUsage().arrayBuffers
    socket.write(Buffer.alloc(30_000_000, 0x20))
    await turns()
    expect(socket.writableLength).toBeGreaterThan(0)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(35_000_000)
    socket.destroy()
    // Nothing is read from it, so that it is noticed with the answer that the client is gone.
    open?.end('too late')
    await expect.poll(() => entry.size, SOON).toBe(0)
  })

  it('writes no body, and no chunk, with an answer that has none', async () => {
    const { socket, read } = await client()
    socket.write(plain('empty'))
    await expect.poll(() => seen, SOON).toEqual(['lean empty'])
    open?.writeHead(204).end()
    await expect.poll(read, SOON).toMatch(/^HTTP\/1\.1 204 No Content\r\n.*\r\n\r\n$/s)
    expect(read()).not.toMatch(/chunked|0\r\n/)
    socket.destroy()
  })

  it('leaves it to Node to judge who says half of it', async () => {
    const { socket } = await client()
    await expect.poll(() => entry.size, SOON).toBe(1)
    socket.write(plain('hello').subarray(0, -2))
    await turns()
    expect([sweepAfter(2_000), sweepAfter(2_000)]).toEqual([1, 0])
    await expect.poll(() => seen, SOON).toEqual(['node'])
    socket.destroy()
  })

  it('ends connections that were not used for as long as it said, and not before', async () => {
    const { socket, read, closed } = await client()
    socket.write(plain('idle'))
    await expect.poll(() => seen, SOON).toEqual(['lean idle'])
    expect(sweepAfter(60_000)).toBe(1)
    open?.end('ok')
    await expect.poll(() => read().endsWith('ok'), SOON).toBe(true)
    expect(sweepAfter(5_500)).toBe(1)
    sweepAfter(1_000)
    await closed
  })

  it('ends idle connections at once when it closes, and the others after their answer', async () => {
    const idle = await client()
    idle.socket.write(plain('idle'))
    await expect.poll(() => seen, SOON).toEqual(['lean idle'])
    open?.end('ok')
    await expect.poll(() => idle.read().endsWith('ok'), SOON).toBe(true)
    const busy = await client()
    busy.socket.write(plain('busy'))
    await expect.poll(() => seen, SOON).toEqual(['lean busy'])
    entry.close()
    await idle.closed
    open?.end('the last')
    await busy.closed
    expect(busy.read()).toMatch(/the last$/)
  })
})
