import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GatewayError } from '../errors.ts'
import { modernRequest, openDoor, POLITE } from './front-door.case.ts'
import { type LeanEntry, leanEntryBefore } from './lean-entry.ts'
import type { LeanResponse } from './lean-response.ts'
import { comparable, sendPieces } from './raw-http.case.ts'

type Headers = Readonly<Record<string, string>>

const asBytes = (path: string, headers: Headers, body: string, method = 'POST'): Buffer =>
  Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )

const modern = (method: string, params: Record<string, unknown> = {}, more: Headers = {}, path = '/mcp'): Buffer => {
  const { headers, message } = modernRequest(method, params)
  return asBytes(path, { ...headers, ...more }, JSON.stringify(message))
}

const text = (bytes: Buffer, change: (text: string) => string): Buffer => Buffer.from(change(bytes.toString()))
const echo = modern('tools/call', { name: 'echo', arguments: { text: 'größer → 大' } })
const list = modern('tools/list')
const sayHello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }

/** Everything that a client may send, well or badly, and how many answers there are to it. */
const REQUESTS: ReadonlyMap<string, readonly [bytes: Buffer, answers?: number]> = new Map([
  ['a list', [list]],
  ['a call', [echo]],
  ['a call that fails', [modern('tools/call', { name: 'gateway-error' })]],
  ['a call of nothing', [modern('tools/call', { name: 'nothing' })]],
  ['a method for the SDK', [modern('prompts/list')]],
  ['an unknown method', [modern('no/such')]],
  ['another endpoint', [modern('tools/list', {}, {}, '/team/mcp')]],
  ['no endpoint', [modern('tools/list', {}, {}, '/nowhere/mcp')]],
  ['no page', [modern('tools/list', {}, {}, '/no/such/page')]],
  [
    'a session',
    [asBytes('/mcp', POLITE, JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: sayHello }))],
  ],
  [
    'no session',
    [asBytes('/mcp', { ...POLITE, 'mcp-session-id': 'x' }, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')],
  ],
  ['a notification of nobody', [asBytes('/mcp', POLITE, '{"jsonrpc":"2.0","method":"notifications/initialized"}')]],
  ['broken JSON', [asBytes('/mcp', POLITE, '{"jsonrpc":')]],
  ['nested JSON', [asBytes('/mcp', POLITE, '['.repeat(100))]],
  ['a batch', [asBytes('/mcp', POLITE, '[]')]],
  ['no body', [asBytes('/mcp', POLITE, '')]],
  ['another type', [asBytes('/mcp', { ...POLITE, 'content-type': 'text/plain' }, '{}')]],
  ['a packed body', [asBytes('/mcp', { ...POLITE, 'content-encoding': 'gzip' }, '{}')]],
  ['a foreign token', [modern('tools/list', {}, { authorization: 'Bearer wrong' })]],
  ['no token', [asBytes('/mcp', { 'content-type': 'application/json' }, '{}')]],
  ['a web page', [modern('tools/list', {}, { origin: 'https://evil.com' })]],
  ['a foreign host', [text(list, (each) => each.replace('Host: localhost', 'Host: evil.com'))]],
  ['two hosts', [text(list, (each) => each.replace('Host: localhost', 'Host: localhost\r\nHost: evil.com'))]],
  ['a token in the URL', [modern('tools/list', {}, {}, '/mcp?token=x')]],
  ['another method', [asBytes('/mcp', POLITE, '', 'PUT')]],
  ['a page', [asBytes('/healthz', {}, '', 'GET')]],
  ['the last of its connection', [modern('tools/list', {}, { connection: 'close' })]],
  ['two lengths', [text(list, (each) => each.replace('Content-Length', 'Content-Length: 5\r\nContent-Length'))]],
  ['an odd length', [text(list, (each) => each.replace('Content-Length: ', 'Content-Length: +'))]],
  ['a folded header', [text(list, (each) => each.replace('accept: ', 'accept:\r\n '))]],
  ['lines that end with LF', [text(list, (each) => each.replaceAll('\r\n', '\n'))]],
  ['a space before the colon', [text(list, (each) => each.replace('accept:', 'accept :'))]],
  ['a very long head', [modern('tools/list', {}, { 'x-long': 'x'.repeat(17_000) })]],
  ['a body of chunks', [Buffer.from(`${chunkedHead()}2\r\n{}\r\n0\r\n\r\n`)]],
  ['chunks and a length', [Buffer.from(`${chunkedHead('Content-Length: 4\r\n')}2\r\n{}\r\n0\r\n\r\n`)]],
  ['two at once', [Buffer.concat([list, echo]), 2]],
  ['one smuggled behind another', [Buffer.concat([asBytes('/mcp', POLITE, '{}'), echo]), 2]],
] as const)

function chunkedHead(more = ''): string {
  const polite = Object.entries(POLITE).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${polite.join('')}${more}Transfer-Encoding: chunked\r\n\r\n`
}

describe('through the front door', () => {
  let gateway: Awaited<ReturnType<typeof openDoor>>
  beforeAll(async () => {
    gateway = await openDoor()
  })
  afterAll(() => gateway.door.close())

  /** Half a head is always left to Node. */
  const byNode = (bytes: Buffer, answers?: number): Promise<string> =>
    sendPieces(gateway.port, [bytes.subarray(0, 1), bytes.subarray(1)], answers)

  it.each([...REQUESTS])('%s is answered byte for byte as through Node', async (_, [bytes, answers]) => {
    const answer = comparable(await sendPieces(gateway.port, [bytes], answers))
    expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /)
    expect(answer).toBe(comparable(await byNode(bytes, answers)))
  })

  it('is answered alike wherever the network cuts it', { timeout: 60_000 }, async () => {
    const known = new Map<string, string>()
    const pieces = fc.tuple(fc.constantFrom(...REQUESTS.keys()), fc.array(fc.nat(600), { maxLength: 3 }))
    await fc.assert(
      fc.asyncProperty(pieces, async ([name, cuts]) => {
        const [bytes, answers] = REQUESTS.get(name) ?? [list]
        const expected = known.get(name) ?? comparable(await byNode(bytes, answers))
        known.set(name, expected)
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted((a, b) => a - b)
        const cut = places.slice(1).map((to, at) => bytes.subarray(places[at], to))
        expect(comparable(await sendPieces(gateway.port, cut, answers))).toBe(expected)
      }),
      { numRuns: 100 },
    )
  })

  it('counts a request once, whichever way it takes', async () => {
    const taken: string[] = []
    const limits = {
      address: (address: string) => void taken.push(address),
      token: (tokenId: string) => void taken.push(tokenId),
    }
    await using door = await openDoor({ limits })
    await sendPieces(door.port, [list])
    await sendPieces(door.port, [list.subarray(0, 1), list.subarray(1)])
    await sendPieces(door.port, [modern('prompts/list')])
    expect(taken).toEqual(['127.0.0.1', 'a', '127.0.0.1', 'a', '127.0.0.1', 'a'])
  })

  it('answers a plain refusal of a limit like any other', async () => {
    const limits = {
      address: () => {
        throw new GatewayError('RATE_LIMITED', { retryAfterSeconds: 7 })
      },
      token: () => undefined,
    }
    await using door = await openDoor({ limits })
    expect(await sendPieces(door.port, [list])).toMatch(/^HTTP\/1\.1 429 .*retry-after: 7\r\n/s)
  })

  it('waits for what is under way when it closes, and not for ever', async () => {
    const door = await openDoor()
    const idle = connect(door.port, '127.0.0.1')
    const isUnderWay = door.handler.waiting('x')
    const answer = sendPieces(door.port, [modern('tools/call', { name: 'wait', arguments: { text: 'x' } })])
    await isUnderWay
    const [asked] = door.handler.asked
    const closing = door.door.close()
    expect(asked?.request.method).toBe('tools/call')
    await closing
    expect(await answer).toBe('')
    await expect.poll(() => door.handler.aborted).toEqual(['x'])
    idle.destroy()
  })
})

describe('the lean entry', () => {
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
      await expect.poll(() => seen.at(-1)).toBe(`lean ${body}`)
      open?.writeHead(200, { 'content-length': 3 }).end(body)
      await expect.poll(() => read().endsWith(body)).toBe(true)
    }
    expect(read()).toContain('Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n\r\n')
    socket.destroy()
    await expect.poll(() => entry.size).toBe(0)
  })

  it('waits for the rest of a body', async () => {
    const { socket } = await client()
    const bytes = plain('hello')
    socket.write(bytes.subarray(0, -2))
    await turns()
    expect(seen).toEqual([])
    socket.write(bytes.subarray(-2))
    await expect.poll(() => seen).toEqual(['lean hello'])
    socket.destroy()
  })

  it('gives a connection to Node for good with the first request that is not plain', async () => {
    const { socket, read } = await client()
    for (const bytes of [asBytes('/other', {}, ''), plain('now Node’s')]) {
      const before = read().length
      socket.write(bytes)
      await expect.poll(() => read().length).toBeGreaterThan(before)
    }
    expect(seen).toEqual(['node', 'node'])
    expect(entry.size).toBe(0)
    socket.destroy()
  })

  it('answers in order when a client sends ahead, and then lets Node go on', async () => {
    const { socket, read } = await client()
    socket.write(plain('first'))
    await expect.poll(() => seen).toEqual(['lean first'])
    socket.write(plain('second'))
    socket.write(plain('third'))
    await turns()
    expect(seen).toEqual(['lean first'])
    open?.end('the first')
    await expect.poll(() => seen).toEqual(['lean first', 'node', 'node'])
    await expect.poll(() => read().split('by Node').length).toBe(3)
    expect(read().indexOf('the first')).toBeLessThan(read().indexOf('by Node'))
    socket.destroy()
  })

  it('writes a stream as Node does, piece by piece', async () => {
    const { socket, read } = await client()
    socket.write(plain('stream'))
    await expect.poll(() => seen).toEqual(['lean stream'])
    open?.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    await expect.poll(read).toMatch(/Transfer-Encoding: chunked\r\n\r\n$/)
    open?.write('größer')
    open?.write(new Uint8Array([104, 105]))
    open?.end('end')
    await expect.poll(read).toMatch(/\r\n\r\n8\r\ngr.*er\r\n2\r\nhi\r\n3\r\nend\r\n0\r\n\r\n$/s)
    socket.destroy()
  })

  it('refuses to write a header that would be two', () => {
    expect(() => open?.writeHead(200, { location: 'x\r\nset-cookie: y' })).toThrow('location')
  })

  it('tells of a client that leaves before its answer', async () => {
    const { socket } = await client()
    socket.write(plain('leave'))
    await expect.poll(() => seen).toEqual(['lean leave'])
    const events: string[] = []
    open?.once('close', () => events.push(`close ${open?.writableFinished} ${open?.destroyed}`))
    socket.destroy()
    await expect.poll(() => events).toEqual(['close false true'])
  })

  it('tells a writer that the client has read', async () => {
    const { socket } = await client()
    socket.write(plain('much'))
    await expect.poll(() => seen).toEqual(['lean much'])
    socket.pause()
    open?.writeHead(200)
    let drained = false
    open?.once('drain', () => (drained = true))
    while (open?.write('x'.repeat(100_000)) === true);
    expect(open?.writableLength).toBeGreaterThan(0)
    socket.resume()
    await expect.poll(() => drained).toBe(true)
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

  it('leaves it to Node to judge who says nothing', async () => {
    const { read, closed } = await client()
    await expect.poll(() => entry.size).toBe(1)
    expect([sweepAfter(2_000), sweepAfter(2_000)]).toEqual([1, 0])
    await closed
    expect(read()).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('leaves it to Node to judge who says half of it', async () => {
    const { socket } = await client()
    await expect.poll(() => entry.size).toBe(1)
    socket.write(plain('hello').subarray(0, -2))
    await turns()
    expect([sweepAfter(2_000), sweepAfter(2_000)]).toEqual([1, 0])
    await expect.poll(() => seen).toEqual(['node'])
    socket.destroy()
  })

  it('ends connections that were not used for as long as it said, and not before', async () => {
    const { socket, read, closed } = await client()
    socket.write(plain('idle'))
    await expect.poll(() => seen).toEqual(['lean idle'])
    expect(sweepAfter(60_000)).toBe(1)
    open?.end('ok')
    await expect.poll(() => read().endsWith('ok')).toBe(true)
    expect(sweepAfter(5_500)).toBe(1)
    sweepAfter(1_000)
    await closed
  })

  it('ends idle connections at once when it closes, and the others after their answer', async () => {
    const idle = await client()
    idle.socket.write(plain('idle'))
    await expect.poll(() => seen).toEqual(['lean idle'])
    open?.end('ok')
    await expect.poll(() => idle.read().endsWith('ok')).toBe(true)
    const busy = await client()
    busy.socket.write(plain('busy'))
    await expect.poll(() => seen).toEqual(['lean busy'])
    entry.close()
    await idle.closed
    open?.end('the last')
    await busy.closed
    expect(busy.read()).toMatch(/the last$/)
  })
})
