import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request as httpRequest, type RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { BodyError, dropRest, drainServer, isLocal, isLoopbackHost, isRepeated, listen, readBody } from './server.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function serverWith(listener: RequestListener) {
  const server = createServer(listener)
  const address = await listen(server, '127.0.0.1', 0)
  open.push(() => drainServer(server, 0))
  return { server, ...address }
}

describe('listen', () => {
  it('resolves to the address', async () => {
    const { url, port, host } = await serverWith((_, res) => res.end('here'))
    expect([host, url]).toEqual(['127.0.0.1', `http://127.0.0.1:${port}`])
    expect(await (await fetch(url)).text()).toBe('here')
  })

  it('rejects when the port is taken', async () => {
    const { port } = await serverWith(() => {})
    await expect(listen(createServer(), '127.0.0.1', port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

describe('drainServer', () => {
  it('lets open requests finish', async () => {
    const arrived = Promise.withResolvers<() => void>()
    const { server, url } = await serverWith((_, res) => arrived.resolve(() => res.end('done')))
    const answer = fetch(url)
    const finish = await arrived.promise
    const drained = drainServer(server, 60_000)
    finish()
    expect(await (await answer).text()).toBe('done')
    await drained
  })

  it('closes connections whose requests take too long', async () => {
    const arrived = Promise.withResolvers<void>()
    const { server, url } = await serverWith(() => arrived.resolve())
    const answer = fetch(url).then(
      () => 'answered',
      () => 'closed',
    )
    await arrived.promise
    await drainServer(server, 10)
    expect(await answer).toBe('closed')
  })
})

describe('readBody', () => {
  const kindOf = async (body: Promise<Buffer>): Promise<string> =>
    body.then(
      (bytes) => bytes.toString(),
      (error: unknown) => (error instanceof BodyError ? error.kind : 'other'),
    )
  const chunks = (...texts: string[]): Readable => Readable.from(texts.map((text) => Buffer.from(text)))

  it('returns all bytes up to the limit', async () => {
    expect(await kindOf(readBody(chunks(), 4))).toBe('')
    expect(await kindOf(readBody(chunks('abcd'), 4))).toBe('abcd')
    expect(await kindOf(readBody(chunks('ab', 'cd'), 4))).toBe('abcd')
  })

  it('refuses more, announced or not', async () => {
    expect(await kindOf(readBody(chunks('ab', 'cd', 'e'), 4))).toBe('too-large')
    expect(await kindOf(readBody(chunks('ab'), 4, '5'))).toBe('too-large')
  })

  it('reports a connection that ends early', async () => {
    const read = Promise.withResolvers<string>()
    const { port } = await serverWith((req) => void kindOf(readBody(req, 100)).then(read.resolve))
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nabc')
    setTimeout(() => socket.destroy(), 20)
    expect(await read.promise).toBe('incomplete')
  })
})

describe('dropRest', () => {
  it('delivers the answer before the end of the body, then closes the connection of a client that does not end it', async () => {
    const { port } = await serverWith((req, res) => {
      dropRest(req, res)
      res.writeHead(413).end('too large')
    })
    const socket = connect(port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\nabc')
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    await once(socket, 'close')
    const text = Buffer.concat(received).toString()
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('keeps the connection of a client that ends the body after the answer', async () => {
    const { port } = await serverWith((req, res) => {
      dropRest(req, res)
      res.writeHead(413).end('too large')
    })
    const socket = connect(port, '127.0.0.1')
    const request = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc'
    socket.write(request)
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 413 /)
    socket.write(`de${request}`)
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 413 /)
    socket.destroy()
  })

  it('keeps a connection whose body ended before the answer, and leaves no listener on it', async () => {
    const sockets = new Set<Socket>()
    const { url } = await serverWith(async (req, res) => {
      sockets.add(req.socket)
      dropRest(req, res)
      await once(req, 'end')
      res.end()
    })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = async (): Promise<void> => {
      const request = httpRequest(url, { method: 'POST', agent }).end('body')
      const [answer] = (await once(request, 'response')) as [IncomingMessage]
      await once(answer.resume(), 'end')
    }
    await ask()
    const [socket] = sockets
    const listeners = socket?.listenerCount('close')
    for (let times = 0; times < 20; times++) await ask()
    expect([sockets.size, socket?.listenerCount('close')]).toEqual([1, listeners])
    agent.destroy()
  })

  it('keeps the connection of a request without a body', async () => {
    const { url } = await serverWith((req, res) => {
      dropRest(req, res)
      res.end()
    })
    expect((await fetch(url)).headers.get('connection')).toBe('keep-alive')
  })
})

describe('isLocal', () => {
  const from = (remoteAddress: string | undefined, headers = {}) => isLocal({ headers, socket: { remoteAddress } })

  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('accepts %s', (address) => {
    expect(from(address)).toBe(true)
  })

  it.each([undefined, '', '10.0.0.1', '::2', '::ffff:10.0.0.1', '1127.0.0.1', '::10'])('refuses %s', (address) => {
    expect(from(address)).toBe(false)
  })

  it('refuses forwarded requests', () => {
    expect(from('127.0.0.1', { 'x-forwarded-for': '' })).toBe(false)
    expect(from('127.0.0.1', { forwarded: 'for=a' })).toBe(false)
  })

  it.each([
    ...['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded', 'X-Real-IP', 'Via'],
    ...[
      'CF-Connecting-IP',
      'True-Client-IP',
      'Fastly-Client-IP',
      'X-Client-IP',
      'Fly-Client-IP',
      'Client-IP',
      'CDN-Loop',
      'X-Envoy-External-Address',
    ],
  ])('refuses a request with the header %s of a proxy', (name) => {
    expect(from('127.0.0.1', { [name.toLowerCase()]: '' })).toBe(false)
  })
})

describe('isRepeated', () => {
  it('finds a header that is there twice, in any case', () => {
    const has = (...names: string[]) =>
      isRepeated({ rawHeaders: names.flatMap((name) => [name, 'x']) }, 'authorization')
    expect(has('Authorization', 'AUTHORIZATION')).toBe(true)
    expect(has('Authorization', 'Authorisation-', 'host', 'host')).toBe(false)
    // A value is no name.
    expect(isRepeated({ rawHeaders: ['authorization', 'authorization'] }, 'authorization')).toBe(false)
  })
})

describe('isLoopbackHost', () => {
  it('accepts loopback names with and without a port', () => {
    const hosts = ['localhost', 'LOCALHOST:80', '127.0.0.1:7421', '[::1]:1', 'a.test', 'localhost.a.test', undefined]
    expect(hosts.map(isLoopbackHost)).toEqual([true, true, true, true, false, false, false])
  })
})
